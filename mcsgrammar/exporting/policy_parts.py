"""The pieces of exported programs that have policies: playouts and trees that learn, playouts cut off, commit rules.

They are filled like those of `parts.py`. What may be a long number stands in a short statement of its own, so
that no line becomes too long.
"""

# The components.

SIMULATE = '''
def $method(self, prefix, state$limit_parameter):
    """A playout: $how, until the state is final.$cut"""
    actions, state = list(prefix), self.problem.copy(state)
    $limit
    while ${within_limit}not self.problem.is_final(state):
        legal = self.problem.actions(state)
        action = $drawn
        state = self.play(state, action)
        actions.append(action)
    return self.evaluate(actions, state)
'''

STEP_CUT = '''
def $method(self, prefix, state):
    """Play to the end; before each action, $below."""
    best = latest = NOTHING
    state = self.problem.copy(state)
    while not self.problem.is_final(state):
        if len(latest.actions) <= len(prefix):
            latest = NOTHING  # its playout was cut off here: it leads no further
        $search
        best = better(best, latest)
        action = latest.actions[len(prefix)]  # as in the best sequence so far
        state = self.play(state, action)
        prefix = [*prefix, action]
        $committed
        $forced
    return best
'''

STEP_BY_STATISTIC = '''
def $method(self, prefix, state):
    """Play to the end; before each action, $below."""
    best = NOTHING
    state = self.problem.copy(state)
    while not self.problem.is_final(state):
        $search
        best = better(best, latest)
        favourite = self.favourite_by_$rule(self.$tree, prefix)
        if favourite is None:  # none is known: as in the best sequence just found
            action = latest.actions[len(prefix)]
        else:
            action = favourite.action
        state = self.play(state, action)
        prefix = [*prefix, action]
        $committed
        $forced
    return best
'''

FAVOURITE = '''
def favourite_by_$rule(self, root, prefix):
    """The child of the prefix's node with $statistic; ties at random.

    None if no child was visited.
    """
    node = root
    for action in prefix:
        node = next((x for x in node.children if x.action == action), None)
        if node is None:
            return None
    visited = [child for child in node.children if child.visits > 0]
    if not visited:
        return None
    values = [$value for child in visited]
    highest = max(values)
    ties = [child for child, value in zip(visited, values) if value == highest]
    return self.random.choice(ties)
'''

STATISTICS = {
    "mean": ("the highest mean", "child.total / child.visits"),
    "visits": ("most visits", "child.visits"),
    "max": ("the highest reward", "child.top"),
}

SELECT = '''
def $method(self, prefix, state):
    """$below from a leaf of the tree, which learns the best reward."""
    $limit
    $descent
    $search
    $learn
    return best
'''

LEARN_RESULT = """
reward = $reward
"""

LEARN_MEAN = """
for node in path:
    node.visits += 1
    node.total += reward
    $top
"""

LEARN_AMAF = """
last_place = {action: place for place, action in enumerate(best.actions)}
for depth, node in enumerate(path[len(prefix) :], len(prefix)):
    if node.amaf is None:
        node.amaf = Means(self.room)
    for place in range(depth, len(best.actions)):
        action = best.actions[place]
        if last_place[action] == place:  # each action once
            node.amaf.add(action, reward)
"""

# The tree.

DESCEND = '''
def descend(self, root, choose, prefix, state$limit_parameter):
    """Walk from the node of the prefix to a leaf, which gets children.

    Returns the nodes from the root to the leaf, the actions to it, and its state.
    """
    path, actions = [root], list(prefix)
    $find
    if path[-1].exhausted:  # all below is known: search right here
        return path, actions, state
    state = self.problem.copy(state)
    while path[-1].children$and_within_limit:
        path.append(choose(path$arguments))
        actions.append(path[-1].action)
        state = self.play(state, path[-1].action)
    if self.problem.is_final(state):
        mark_exhausted(path)
    $otherwise:
        self.grow(path[-1], state)
    return path, actions, state
'''

CHOOSE = '''
def $method(self, path$parameters):
    """$first$then.

    $promise
    Exhausted children, with nothing left to explore, are left out.
    """
    node = path[-1]
    children = [child for child in node.children if not child.exhausted]
    $few_visits
    $untried
    $c
    $scale
    $values
    $lowest
    ties = [child for child, value in zip(children, values) if value $ties]
    return self.random.choice(ties)
'''

CHOOSE_BY_PLAYOUT = '''
def $method(self, path$parameters):
    """A child as a playout would choose it, but for exhausted ones."""
    children = [child for child in path[-1].children if not child.exhausted]
    return $drawn
'''

FEW_VISITS = """
if node.visits < $t:
    return $drawn
"""

UNTRIED = """
untried = [child for child in children if child.visits == 0]
if untried:
    return $drawn
"""

C_2013 = """
# The first holds where the walk began, the second further down.
c = $c if len(path) == start + 1 else $below
"""

SCALE = """
visits = sum(child.visits for child in node.children)
scale = $scale
"""

VALUES = """
values = []
for child in children:
    $promise
"""

MEAN_PROMISE = """
mean = child.total / child.visits
values.append(mean$exploration)
"""

HISTORY_PROMISE = """
mean = child.total / child.visits
history = self.history.mean(child.action)
bonus = history * w / (max(1.0 - mean, 0.0) * child.visits + 1.0)
values.append(mean$exploration + bonus)
"""

FIRST_PLAY = """
if child.visits == 0:
    values.append($fpu)
    continue
"""

AMAF = """
$reference
$beta
amaf = {} if $of.amaf is None else $of.amaf.entries
values = []
for child in children:
    count, amaf_mean = amaf.get(child.action, (0.0, 0.0))
    $promise
"""

REFERENCE = """
walk = path[start:]
reference = next((x for x in reversed(walk) if x.visits >= $ref), walk[0])
"""

AMAF_PROMISE = """
if count == 0:
    mean = child.total / child.visits
else:
    $beta
    mean = (1.0 - beta) * (child.total / child.visits) + beta * amaf_mean
values.append(mean$exploration)
"""

AMAF_PROMISE_OF_UNTRIED = """
if child.visits == 0:
    values.append($fpu if count == 0 else amaf_mean$full_exploration)
    continue
"""

BETA_OF_K = """
k = $k
beta = math.sqrt(k / (3.0 * node.visits + k))
"""

BETA_OF_BIAS = """
beta = count / (count + child.visits + bias * count * child.visits)
"""

GROW = '''
def grow(self, node, state):
    """Give the node all its children, or none if they would be too many."""
    actions = self.problem.actions(state)
    if self.room.take(len(actions)):
        node.children = [Node(action) for action in actions]
'''

TOP = "self.top = -math.inf  # the highest of them\n"
AMAF_OF_NODE = "self.amaf = None  # means of the actions that were played later\n"

# What playouts learn.

DRAW_GREEDY = '''
def draw(self, legal$sequence):
    """The place of an action: any, or one that was worth most; ties at random."""
    values = [self.worth(action$sequence_argument) for action in legal]
    if self.random.uniform() < $eps:
        return self.random.below(len(legal))
    highest = max(values)
    ties = [place for place, value in enumerate(values) if value == highest]
    return self.random.choice(ties)
'''

DRAW_GIBBS = '''
def draw(self, legal):
    """The place of an action, drawn in proportion to exp(worth / tau)."""
    tau = $tau
    values = [self.learnt.mean(action) for action in legal]
    highest = max(values)
    weights = [exp((value - highest) / tau) for value in values]
    total = 0.0
    for weight in weights:  # not `sum`, which rounds otherwise from Python 3.12 on
        total += weight
    left = self.random.uniform() * total
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return place
    return max(place for place, weight in enumerate(weights) if weight > 0)
'''

WORTH_MAST = '''
def worth(self, action):
    """The mean reward of the runs in which the action occurred."""
    return self.learnt.mean(action)
'''

WORTH_NST = '''
def worth(self, action, actions):
    """The mean over what the action would complete: itself, and the last actions.

    These are up to $n together, $met.
    """
    if not self.learnt.count((action,)):
        return 1.0
    total, met = self.learnt.mean((action,)), 1
    for length in range(2, min($n, len(actions) + 1) + 1):
        together = (*actions[len(actions) - length + 1 :], action)
        if self.learnt.count(together) $often:
            total += self.learnt.mean(together)
            met += 1
    return total / met
'''

LEARN_MAST = '''
def learn(self, actions, reward):
    """Remember what a sequence came to, for every action in it."""
    for action in actions:
        self.learnt.add(action, reward)
    $sim_decay
    $batch_decay
'''

SIM_DECAY_MAST = """
for action in actions:
    self.learnt.decay(action, $factor)
"""

LEARN_NST = '''
def learn(self, actions, reward):
    """Remember what a sequence came to, for all that stands together in it."""
    together = [
        tuple(actions[end - length : end])
        for end in range(1, len(actions) + 1)
        for length in range(1, min($n, end) + 1)
    ]
    for key in together:
        self.learnt.add(key, reward)
    $sim_decay
    $batch_decay
'''

SIM_DECAY_NST = """
for key in together:
    self.learnt.decay(key, $factor)
"""

BATCH_DECAY = """
self.since_decay += 1
if self.since_decay >= $batch:
    self.since_decay = 0
    self.learnt.decay_all($factor)
"""

MOVE_DECAY = """
self.learnt.decay_all($factor)  # an action is played for good
"""

LEARN = """
self.learn(actions, min(max(found.reward, 0.0), 1.0))
"""

LEARN_HISTORY = """
for action in actions:
    self.history.add(action, min(max(found.reward, 0.0), 1.0))
"""

MEMORY_FULL = "tree_full: bool  # whether max_nodes kept it from remembering more\n"

ROOM = '''
class Room:
    """For what is remembered: the nodes of trees and the entries of tables together."""

    def __init__(self, size):
        self.left = size
        self.full = False  # whether something found no room

    def take(self, n):
        """Whether there was room for `n` more."""
        if n > self.left:
            self.full = True
            return False
        self.left -= n
        return True
'''

MEANS = '''
class Means:
    """Mean rewards by key. Their counts need not be whole: decay makes them smaller."""

    def __init__(self, room):
        self.room = room
        self.entries = {}  # [count, mean] by key

    $methods
'''

COUNT = """
def count(self, key):
    return self.entries[key][0] if key in self.entries else 0.0
"""

MEAN = '''
def mean(self, key):
    """1, the highest there is, for what was never met: so it is tried."""
    count, mean = self.entries.get(key, (0.0, 1.0))
    return mean if count else 1.0
'''

ADD = '''
def add(self, key, reward):
    """One more reward for a key; nothing if there is no room for a new one."""
    if key not in self.entries:
        if not self.room.take(1):
            return
        self.entries[key] = [0.0, 0.0]
    entry = self.entries[key]
    if entry[0] == 0:
        entry[1] = 0.0
    entry[0] += 1.0
    entry[1] += (reward - entry[1]) / entry[0]
'''

DECAY = """
def decay(self, key, factor):
    if key in self.entries:
        self.entries[key][0] *= factor
"""

DECAY_ALL = """
def decay_all(self, factor):
    for entry in self.entries.values():
        entry[0] *= factor
"""

SPLITMIX = '''
MASK = 2**64 - 1  # keeps the lower 64 bits


class SplitMix64:
    """Random numbers, fixed by the seed. A choice costs one draw, even of one item."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        """64 random bits."""
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

    def uniform(self):
        """A number from 0 up to, but without, 1."""
        return (self.next() >> 11) * 2.0**-53
    $more
'''

BELOW = '''
def below(self, n):
    """A whole number from 0 to n - 1."""
    return (self.next() >> 32) * n >> 32
'''

CHOICE = """
def choice(self, items):
    return items[self.below(len(items))]
"""

EXP = '''
def exp(x):
    """e to the power of x, for x up to 0, the same bits on every machine.

    `math.exp` may differ in the last bit between systems. This is a minimax polynomial
    on what is left of x beside a whole multiple of log(2).
    """
    x = max(x, -746.0)  # from there on down it is 0
    power = x * 1.4426950408889634 + 6755399441055744.0 - 6755399441055744.0
    coarse = x - power * 0.6931471803691238
    step = power * 1.9082149292705877e-10
    r = coarse - step
    rounding_error = (coarse - r) - step
    z = r * r
    w = z * z
    low = 0.5000000000000011 + r * 0.16666666666666413
    low = low + z * (0.041666666666530155 + r * 0.008333333333494461)
    middle = 0.0013888888943630114 + r * 0.00019841269506578688
    middle = middle + z * (2.480149309890655e-05 + r * 2.7557586373840165e-06)
    high = 2.763024837921144e-07 + r * 2.5000061602835666e-08
    main = 1.0 + r
    rounding_error += (1.0 - main) + r
    near_one = main + (z * (low + w * (middle + w * high)) + rounding_error)
    half = int(power) >> 1
    return near_one * math.ldexp(1.0, half) * math.ldexp(1.0, int(power) - half)
'''
