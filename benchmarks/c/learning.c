/* Knights and frogs (domains/knights.py, domains/frogs.py): random playouts, and playouts that learn, by a program for
 * one problem alone.  gcc -O3 -march=native learning.c -o knights -lm; with -DFROGS: frogs
 * What is learnt of a cell, or of two or three after each other, stands in arrays by cell: nothing is hashed, no code is
 * asked for, no room is looked after; actions are gone through and never listed. `key` is what the legal actions follow from: the set of knights, the empty cell.
 * The draws are those of mcsgrammar: the same generator, in the same order. So plain, greedy and NST play the same games
 * from the same seed; Gibbs and adapt differ where exp differs in its last bit.
 * knights n B: n playouts of each kind; what is learnt is forgotten after B of them; seeds are 0, 1, 2, ...
 *   plain  uniform    greedy  mast, eps = 0.4    Gibbs  mast, tau = 0.1    NST  eps = 0.2, up to 3 actions, kmin = 7
 *   adapt  adapt(adapt(sim, 100), 100)    select  select(sim, 0.5)    GRAVE  select(sim(mast(eps=0.4)), grave)
 * As in benchmarks/policies.py, the moves of a game are counted by the random numbers drawn.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rng.h"
typedef uint64_t u64; typedef uint8_t u8;
#define LONGEST 116
typedef struct { double mean, count; } worth;
static u64 S; static worth one[64], two[64][64], three[64][64][64]; static double odds1[64];
static inline u64 next(void){ u64 z=S+=0x9E3779B97F4A7C15ull; z=(z^z>>30)*0xBF58476D1CE4E5B9ull; z=(z^z>>27)*0x94D049BB133111EBull; return z^z>>31; }
static inline u64 below(u64 n){ return ((next()>>32)*n)>>32; }
static inline double uniform01(void){ return (double)(next()>>11)*0x1p-53; }
#ifdef FROGS
#define NAME "frogs"
static u8 SOURCE[49][8], COUNT[49]; static u64 SOURCES[49], FROGS_GOAL, TOADS_GOAL;
typedef struct { u64 frogs, key; } state;
static int on_upper_left(int c){ return c/7<4&&c%7<4; }
static int on_board(int c){ return on_upper_left(c)||on_upper_left(48-c); }
static void tables(void){ static const int D[4][2]={{-1,0},{0,-1},{0,1},{1,0}};
  for(int c=0;c<49;c++){ u64 found=0; for(int d=0;d<4;d++) for(int k=1;k<3;k++){ int y=c/7+k*D[d][0],x=c%7+k*D[d][1]; if(y<0||y>6||x<0||x>6||!on_board(7*y+x)) break; found|=1ull<<(7*y+x); }
    SOURCES[c]=found; for(;found;found&=found-1) SOURCE[c][COUNT[c]++]=__builtin_ctzll(found);
    if(c!=24&&on_upper_left(c)) FROGS_GOAL|=1ull<<c; if(c!=24&&on_upper_left(48-c)) TOADS_GOAL|=1ull<<c; } }
static inline state initial(void){ return (state){TOADS_GOAL,24}; }
static inline int count(u64 key,int length){ return COUNT[key]; }
static inline u64 legal(const state*s,int length){ return SOURCES[s->key]; }
static inline int nth(u64 key,u64 i){ return SOURCE[key][i]; }
#define FOR_EACH(KEY) for(int i_=0,c;i_<COUNT[KEY]&&(c=SOURCE[KEY][i_],1);i_++)
static inline int play(state*s,int a,int length){ u64 f=s->frogs>>a&1; s->frogs^=f<<a^f<<s->key; s->key=a; return length+1==LONGEST; }
static inline double reward_of(const state*s,int length){ u64 toads=~(s->frogs|1ull<<s->key); return (__builtin_popcountll(s->frogs&FROGS_GOAL)+__builtin_popcountll(toads&TOADS_GOAL))/30.0; }
#else
#define NAME "knights"
static u64 ATTACKED[64]; static double REWARD[34];
typedef struct { u64 key, attacks; } state;
static void tables(void){ for(int s=0;s<64;s++) for(int d=-2;d<=2;d++) for(int r=-2;r<=2;r++) if(abs(d)+abs(r)==3){ int y=s/8+d,x=s%8+r; if(y>=0&&y<8&&x>=0&&x<8) ATTACKED[s]|=1ull<<(8*y+x); }
  for(int i=0;i<34;i++) REWARD[i]=(i<=10?i:i<=20?2*i-10:i<=30?5*i-70:i==31?90:100)/100.0; }
static inline state initial(void){ return (state){0,0}; }
static inline int count(u64 key,int length){ return 64-length; }
static inline u64 legal(const state*s,int length){ return ~s->key; }
static inline int nth(u64 key,u64 i){ return __builtin_ctzll(__builtin_ia32_pdep_di(1ull<<i,~key)); }
#define FOR_EACH(KEY) for(u64 m_=~(KEY),c;m_&&(c=__builtin_ctzll(m_),1);m_&=m_-1)
static inline int play(state*s,int a,int length){ int over=s->attacks>>a&1; s->key|=1ull<<a; s->attacks|=ATTACKED[a]; return over; }
static inline double reward_of(const state*s,int length){ return REWARD[length-1]; }
#endif
/* A playout: what it is given sets `a`; it may ask for key, n, length and seq. */
#define PLAYOUT(...) state s=initial(); int length=0,over; \
  do { u64 key=s.key; int n=count(key,length),a; __VA_ARGS__; seq[length]=a; over=play(&s,a,length); length++; } while(!over); \
  *reward=reward_of(&s,length); return length;
#define HIGHEST(WORTH) { double highest=-1; int ties[64],k=0; \
  FOR_EACH(key){ double x=WORTH; if(x>highest){ highest=x; k=0; } ties[k]=c; k+=x==highest; } a=ties[below(k)]; }
/* The first cell whose sum is above a number below the last one. */
#define BY_ODDS(ODDS) { double sums[64],t=0; int k=0,at=0; FOR_EACH(key) sums[k++]=t+=ODDS[c]; \
  double u=uniform01()*t; for(int i=0;i<n;i++) at+=sums[i]<=u; a=nth(key,at); }
static int plain(int*seq,double*reward){ PLAYOUT(a=nth(key,below(n))) }
static int greedy(int*seq,double*reward){ PLAYOUT(if(uniform01()<0.4||n==1) a=nth(key,below(n)); else HIGHEST(one[c].mean)) }
static int gibbs(int*seq,double*reward){ PLAYOUT(BY_ODDS(odds1)) }
/* Before c came p, and before that q. */
static inline double by_grams(int c,int p,int q,int length){ double t=one[c].mean; int met=1; if(one[c].count==0) return 1;
  if(length>0&&two[p][c].count>=7){ t+=two[p][c].mean; met++; } if(length>1&&three[q][p][c].count>=7){ t+=three[q][p][c].mean; met++; } return t/met; }
static int nst(int*seq,double*reward){ PLAYOUT(if(uniform01()<0.2||n==1) a=nth(key,below(n));
  else { int p=length>0?seq[length-1]:0,q=length>1?seq[length-2]:0; HIGHEST(by_grams(c,p,q,length)) }) }
static inline void add(worth*w,double r){ w->mean=w->count==0?r:w->mean+(r-w->mean)/(w->count+1); w->count++; }
static void forget(void){ for(int c=0;c<64;c++){ one[c]=(worth){1,0}; odds1[c]=1; } memset(two,0,sizeof two); memset(three,0,sizeof three); }
static void learn_alone(int*seq,int n,double r){ for(int i=0;i<n;i++) add(&one[seq[i]],r); }
static void learn_odds(int*seq,int n,double r){ for(int i=0;i<n;i++){ add(&one[seq[i]],r); odds1[seq[i]]=exp((one[seq[i]].mean-1)/0.1); } }
static void learn_grams(int*seq,int n,double r){ for(int i=0;i<n;i++){ add(&one[seq[i]],r); if(i>0) add(&two[seq[i-1]][seq[i]],r); if(i>1) add(&three[seq[i-2]][seq[i-1]][seq[i]],r); } }
/* trees */
#define A 64
#include "tree.h"
/* adapt */
typedef struct { double weight[64],odds[64]; } policy;
typedef struct { int seq[LONGEST],n; double reward; } game;
static policy P[3]; static long games,moves;
static int adaptive(int*seq,double*reward){ const double*odds=P[2].odds; PLAYOUT(BY_ODDS(odds)) }
static void learn(policy*p,const game*g){ double d[64]={0}; state s=initial();
  for(int i=0;i<g->n;i++){ double t=0; FOR_EACH(s.key) t+=p->odds[c];
    double share=1.0/t; FOR_EACH(s.key) d[c]-=p->odds[c]*share; d[g->seq[i]]+=1.0; play(&s,g->seq[i],i); }
  for(int c=0;c<64;c++){ double w=p->weight[c]+d[c]; p->weight[c]=w<-300?-300:w>300?300:w; } for(int c=0;c<64;c++) p->odds[c]=exp(p->weight[c]); }
static game invoke(int level){ game best={.reward=-1};
  if(level==2){ best.n=adaptive(best.seq,&best.reward); games++; moves+=best.n; return best; }
  P[level+1]=P[level];
  for(int k=0;k<100;k++){ game g=invoke(level+1); if(g.reward>=best.reward) best=g; if(k<99) learn(&P[level+1],&best); }
  return best; }
int main(int argc,char**argv){ int n=argc>1?atoi(argv[1]):100000,B=argc>2?atoi(argv[2]):10000; tables();
  KIND("plain",plain(seq,&r),,1) KIND("greedy",greedy(seq,&r),learn_alone(seq,k,r),2) KIND("Gibbs",gibbs(seq,&r),learn_odds(seq,k,r),1)
  KIND("NST",nst(seq,&r),learn_grams(seq,k,r),2) KIND("select",in_tree(&r),,1) KIND("GRAVE",in_grave(&r),learn_alone(played[n_games-1].seq,k,r),2)
  double shortest=1e9; for(int rep=0;rep<5;rep++){ games=moves=0; double t0=now(); for(S=0;games<n;){ if(games%B==0) S=games/B; for(int c=0;c<64;c++){ P[0].weight[c]=0; P[0].odds[c]=1; } invoke(0); }
    double t=(now()-t0)/moves; if(t<shortest) shortest=t; }
  printf(NAME " adapt: %.3f ns a move, mean length %.4f\n",shortest*1e9,(double)moves/games); }
