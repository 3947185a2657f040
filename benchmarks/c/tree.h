/* select(sim, 0.5) and select(sim(mast(eps=0.4)), grave) over the playouts of a program for one problem alone, for
 * learning.c and sr.c: in_tree and in_grave; and what an evaluation takes.
 * Who includes this has said: NAME; A, a bound of the actions' numbers, at most 64; LONGEST; state, initial();
 * legal(&s,length), the set of legal actions; play(&s,a,length), whether that was the last one; reward_of(&s,length);
 * one[a].mean, what a greedy playout knows of an action, and forget(); the generator S, below(n) and uniform01().
 * A node has its statistics by action: what was not visited is one bit and no memory is written for it, nothing is hashed,
 * no action is listed. Means of all moves as first are read at nodes with REF visits and at the root: only these have
 * them; until then a node remembers which games passed. All draws are those of mcsgrammar. */
#define REF 50
#define K 250.0
#define LARGEST_RUN 100000
typedef struct { double mean[A],count[A]; } all_first;
typedef struct { u64 untried,open; double mean[A],spread[A],total[A]; uint32_t times[A],child[A],visits,descents; int first,latest; } node;
static node*nodes; static all_first*firsts; static int n_nodes,n_firsts,n_games;
static struct { double reward; int length,seq[LONGEST],before[LONGEST+1]; } *played;
#define FOR_BITS(SET) for(u64 b_=(SET),a;b_&&(a=__builtin_ctzll(b_),1);b_&=b_-1)
static inline u64 nth_bit(u64 set,u64 i){ return __builtin_ctzll(__builtin_ia32_pdep_di(1ull<<i,set)); }
static void new_tree(void){
  if(!nodes){ nodes=calloc(LARGEST_RUN+1,sizeof*nodes); firsts=calloc(LARGEST_RUN+1,sizeof*firsts); played=calloc(LARGEST_RUN,sizeof*played); }
  n_nodes=1; n_firsts=n_games=0; nodes[0]=(node){.first=-1,.latest=-1}; }
static void grow(node*x,u64 set){ x->untried=x->open=set; }
static inline void add_first(all_first*f,const int*seq,int from,int length,double r){ u64 seen=0;
  for(int i=length-1;i>=from;i--) if(!(seen>>seq[i]&1)){ seen|=1ull<<seq[i];
    double m=f->count[seq[i]]==0?0:f->mean[seq[i]]; f->count[seq[i]]++; f->mean[seq[i]]=m+(r-m)/f->count[seq[i]]; } }
/* After the game that was played last: all moves as first of the node at depth d. */
static void note_first(node*x,int d){ int g=n_games-1;
  if(x->first<0&&d>0&&x->visits<REF){ played[g].before[d]=x->latest; x->latest=g; return; }
  if(x->first<0){ int games[REF],k=0; x->first=n_firsts++; memset(firsts[x->first].count,0,sizeof firsts->count);
    for(int h=x->latest;h>=0;h=played[h].before[d]) games[k++]=h;
    while(k-->0) add_first(&firsts[x->first],played[games[k]].seq,d,played[games[k]].length,played[games[k]].reward); }
  add_first(&firsts[x->first],played[g].seq,d,played[g].length,played[g].reward); }
static inline int by_value(const node*x,const all_first*f,double beta,double c){
  double scale=c*sqrt(log((double)x->descents)),value[A],highest=-INFINITY;
  if(f) for(int a=0;a<A;a++){ double q=x->mean[a],blend=(1-beta)*q+beta*f->mean[a]; value[a]=(f->count[a]>0?blend:q)+scale*x->spread[a]; }
  else for(int a=0;a<A;a++) value[a]=x->mean[a]+scale*x->spread[a];
  FOR_BITS(x->open) highest=value[a]>highest?value[a]:highest;
  u64 ties=0; for(int a=0;a<A;a++) ties|=(u64)(value[a]>=highest)<<a;
  ties&=x->open; return nth_bit(ties,below(__builtin_popcountll(ties))); }
/* An evaluation; its game is played[n_games-1]. */
#define EVALUATE(NAME_OF_IT,C,GRAVE,PICK) static int NAME_OF_IT(double*reward){ \
  static int path[LONGEST+1]; int d=0,length,over=0,at=0,*seq=played[n_games].seq; state s=initial(); path[0]=0; node*x=nodes; \
  while(x->open&&!over){ u64 a; const all_first*f=0; double beta=0; \
    if(x->untried) a=PICK(x->untried); \
    else { if(GRAVE){ for(at=d;at>0&&nodes[path[at]].visits<REF;at--); f=&firsts[nodes[path[at]].first]; beta=sqrt(K/(3.0*x->visits+K)); } \
      a=by_value(x,f,beta,C); } \
    if(x->untried>>a&1){ x->untried&=~(1ull<<a); x->total[a]=x->times[a]=0; x->child[a]=n_nodes; nodes[n_nodes].open=nodes[n_nodes].untried=0; \
      nodes[n_nodes].visits=nodes[n_nodes].descents=0; nodes[n_nodes].first=nodes[n_nodes].latest=-1; n_nodes++; } \
    seq[d]=a; over=play(&s,a,d); x=&nodes[path[++d]=x->child[a]]; } \
  length=d; if(over) for(int e=d-1;e>=0&&!(nodes[path[e]].open&=~(1ull<<seq[e]));e--); \
  else { grow(x,legal(&s,d)); while(!over){ u64 a=PICK(legal(&s,length)); seq[length]=a; over=play(&s,a,length); length++; } } \
  double r=reward_of(&s,length); *reward=r; played[n_games].reward=r; played[n_games++].length=length; \
  for(int e=0;e<=d;e++){ node*y=&nodes[path[e]]; y->visits++; \
    if(e<d){ int a=seq[e]; y->descents++; y->total[a]+=r; y->times[a]++; y->mean[a]=y->total[a]/y->times[a]; y->spread[a]=1/sqrt((double)y->times[a]); } \
    if(GRAVE) note_first(y,e); } \
  return length; }
static inline u64 any_of(u64 set){ return nth_bit(set,below(__builtin_popcountll(set))); }
static inline u64 greedy_of(u64 set){ if(uniform01()<0.4||!(set&(set-1))) return any_of(set);
  double highest=-1; int ties[64],k=0; FOR_BITS(set){ double x=one[a].mean; if(x>highest){ highest=x; k=0; } ties[k]=a; k+=x==highest; } return ties[below(k)]; }
EVALUATE(in_tree,0.5,0,any_of)
EVALUATE(in_grave,0.5,1,greedy_of)
/* What GAMMA is multiplied by to come to 1: each number drawn adds GAMMA to S. */
static u64 inverse(u64 odd){ u64 x=odd; for(int i=0;i<6;i++) x*=2-odd*x; return x; }
/* n evaluations; after B of them all is forgotten, and the next seed begins. Moves are counted by the numbers drawn, as in
 * benchmarks/policies.py. */
#define KIND(KIND_NAME,PLAY,LEARN,DRAWS_A_MOVE) { double shortest=1e9; u64 drawn=0; \
  for(int rep=0;rep<5;rep++){ drawn=0; double t0=now(); for(int i=0;i<n;i++){ if(i%B==0){ if(i) drawn+=S-(i-1)/B; forget(); new_tree(); S=i/B; } int seq[LONGEST]; double r; int k=PLAY; LEARN; (void)k; (void)seq; } \
    double t=now()-t0; drawn+=S-(n-1)/B; if(t<shortest) shortest=t; } \
  double moves=(double)(drawn*inverse(0x9E3779B97F4A7C15ull))/DRAWS_A_MOVE; \
  printf(NAME " " KIND_NAME ": %.3f ns a move, mean length %.4f\n",shortest/moves*1e9,moves/n); }
