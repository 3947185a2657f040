/* What NST learns of grams of up to three moves, for programs that number their moves from 1 to 65535: eps = 0.2, up to
 * 3 moves, kmin = 7. The draws are those of mcsgrammar: the same generator, in the same order, so that from the same seed
 * both play the same games.
 * Grams of several moves stand in a hash table by their moves, 16 bits each. Few are met KMIN times; those stand in a
 * second, small one, too, which is all that playouts look into. With the large one alone Morpion takes 1.8 times as long.
 */
#ifndef GRAMS_H
#define GRAMS_H
#include <stdint.h>
typedef uint64_t u64; typedef uint32_t u32;
#define NST_EPS 0.2
#define KMIN 7
#define ALL (1<<22)
#define OFTEN (1<<16)
static u64 S;
static inline u64 next(void){ u64 z=S+=0x9E3779B97F4A7C15ull; z=(z^z>>30)*0xBF58476D1CE4E5B9ull; z=(z^z>>27)*0x94D049BB133111EBull; return z^z>>31; }
static inline u64 below(u64 n){ return ((next()>>32)*n)>>32; }
static inline double uniform01(void){ return (double)(next()>>11)*0x1p-53; }
static struct { double mean; u32 count; } one[1<<16];
static struct { u64 key; double mean; u32 count; } all[ALL]; static u32 taken[ALL]; static int ntaken;
static struct { u64 key; double mean; } often[OFTEN]; static u32 taken_often[OFTEN]; static int noften;
static inline u64 two_of(u64 p,u64 c){ return p<<16|c; }
static inline u64 three_of(u64 q,u64 p,u64 c){ return q<<32|p<<16|c; }
#define PLACE(TABLE,SIZE,KEY) ({ u32 i_=(KEY)*0x9E3779B97F4A7C15ull>>32&((SIZE)-1); while(TABLE[i_].key!=0&&TABLE[i_].key!=(KEY)) i_=(i_+1)&((SIZE)-1); i_; })
static void forget_grams(void){ for(int i=0;i<ntaken;i++) all[taken[i]].key=0; for(int i=0;i<noften;i++) often[taken_often[i]].key=0; ntaken=noften=0;
  for(int i=0;i<1<<16;i++) one[i].count=0; }
static inline void learn_gram(u64 key,double r){ u32 i=PLACE(all,ALL,key);
  if(all[i].key==0){ all[i].key=key; all[i].mean=0; all[i].count=0; taken[ntaken++]=i; }
  all[i].mean+=(r-all[i].mean)/++all[i].count;
  if(all[i].count<KMIN) return;
  u32 k=PLACE(often,OFTEN,key);
  if(often[k].key==0){ often[k].key=key; taken_often[noften++]=k; }
  often[k].mean=all[i].mean; }
static void learn_grams(const u32*seq,int n,double r){ for(int i=0;i<n;i++){ u32 c=seq[i];
  if(one[c].count==0) one[c].mean=0;
  one[c].mean+=(r-one[c].mean)/++one[c].count;
  if(i>0) learn_gram(two_of(seq[i-1],c),r);
  if(i>1) learn_gram(three_of(seq[i-2],seq[i-1],c),r); } }
/* The worth of c after p, and before that q; 0 where there was none. */
static inline double by_grams(u64 c,u64 p,u64 q){ if(one[c].count==0) return 1;
  double t=one[c].mean; int met=1;
  if(p){ u32 k=PLACE(often,OFTEN,two_of(p,c)); if(often[k].key!=0){ t+=often[k].mean; met++; } }
  if(q){ u32 k=PLACE(often,OFTEN,three_of(q,p,c)); if(often[k].key!=0){ t+=often[k].mean; met++; } }
  return t/met; }
/* PLAYOUT plays the number i of a run with the seed i/B, what is learnt being forgotten before, and says how many moves it
   had. The shortest of five. */
#define TIME_GRAMS(NAME,N,B,PLAYOUT) { double best=1e9; long sum=0; \
  for(int rep=0;rep<5;rep++){ sum=0; double t0=now(); for(int i=0;i<(N);i++){ if(i%(B)==0){ forget_grams(); S=i/(B); } sum+=PLAYOUT; } \
    double t=(now()-t0)/sum; if(t<best) best=t; } \
  printf(NAME ": %.3f ns a move, mean length %.4f\n",best*1e9,(double)sum/(N)); }
#endif
