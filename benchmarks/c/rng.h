/* Tiny RNG shared by the reference kernels: wyrand-like 64-bit (state = one u64).
   next(): 64 random bits; below(n): unbiased enough (n << 2^32) multiply-shift. */
#ifndef RNG_H
#define RNG_H
#include <stdint.h>
typedef struct { uint64_t s; } rng_t;
static inline uint64_t rng_next(rng_t *r){
  r->s += 0xa0761d6478bd642fULL;
  __uint128_t t = (__uint128_t)r->s * (r->s ^ 0xe7037ed1a0b428dbULL);
  return (uint64_t)(t>>64) ^ (uint64_t)t;
}
static inline uint32_t rng_below(rng_t *r, uint32_t n){
  return (uint32_t)(((rng_next(r)>>32) * (uint64_t)n) >> 32);
}
#include <time.h>
/* CPU time, so that other programs on the machine count as little as they do in the Python half of the comparison. */
static inline double now(void){ struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID,&t); return t.tv_sec+1e-9*t.tv_nsec; }
#endif
