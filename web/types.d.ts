// What the server sends to the scripts in web/static, for `make scripts`: hands as in web/hands.py, and the messages of
// a table, which docs/play.md describes.

/** Part of a sentence: text, a seat, cards or a suit. */
type Part = string | number | { cards: string; suit?: undefined } | { suit: string; cards?: undefined };
type Sentence = Part[];
type Child = Node | string | null;
/** An element that the page has, taken for what the scripts use of it. */
type Found = HTMLInputElement & HTMLDialogElement & { elements: any; reset(): void };
type Attributes = Record<string, string | number | boolean | null | undefined>;
type Player = { name: string; whole_name: string; kind: string };
type Trick = { cards: (string | null)[]; leader: number; taker: number | null; points: number | null };
type Costs = { events: Record<number, { cost: number; known: number | null; text: Sentence }>; worst: number[] };

/** What does not change during a hand. */
interface Hand {
  game: string;
  title: string;
  seats: (Player | null)[];
  partners: boolean;
  shape: string;
  complete: boolean;
  result: Sentence[];
  tricks?: Trick[];
  unit?: string;
  special?: Record<string, string>;
  suits?: string;
  ranks?: string;
  centre?: number;
}

/** A hand on its page. */
interface WholeHand extends Hand {
  id: string;
  shared?: boolean;
  costs?: Costs;
  steps: LoggedStep[];
}

/** An event, and the table after it, whose parts depend on the game's shape. */
interface TableEvent {
  seat: number | null;
  kind: string;
  text: Sentence;
  turn: number | null;
  hands: string[];
  tags: string[][];
  stop: boolean;
  legal?: string;
  options?: string | null;
}

interface TrickTable {
  trick: number;
  tricks: number;
  table: [number, string][];
  taker: number | null;
  trump: string | null;
  points: number[];
  match: number[] | null;
  score: number[] | null;
  meld_points?: number[] | null;
  melds?: string[];
  high?: number | null;
}

interface LayoutTable {
  layout: number[];
  last: string | null;
  lap: number;
  places: number[];
}

interface PokerTable {
  pot: number;
  pots: number[];
  paid: boolean;
  round: string;
  stacks: number[];
  bets: number[];
  won: number[];
  in_hand: boolean[];
  boards?: string[];
  discarded?: string;
}

interface Step extends TableEvent, Partial<TrickTable>, Partial<LayoutTable>, Partial<PokerTable> {}

interface LoggedStep extends Step {
  line: number;
}

/** A legal action of the seat in turn. */
interface Action {
  action: number;
  text: string;
  kind: string;
  card: string | null;
  cards: string | null;
  amount: number | null;
  suit: string | null;
  least?: number;
  most?: number;
}

type Act = (action: number, amount?: number) => void;
type Values = Record<string, number>;
type Score = { of: string; hand: Values; match: Values; place: Values };
type Row = { number: number; hand_id: string | null; match: number; score: Score; winner: number | null };
type Over = { result: Sentence[]; match_over: boolean; score: Score; hand_id: string | null; winner: number };
type Seat = { name: string; kind: string; player: string; connected: boolean; played_by_computer: boolean };
type Choice = { text: string; actions: Action[]; undo: boolean; seconds?: number };

/** The table after an event, as a seat sees it. */
interface View {
  type: "view";
  version: number;
  hand_no: number;
  seat: number | null;
  hand: Hand;
  step: Step;
  choice: Choice | null;
  log: (string | Sentence)[];
  seats: (Seat | null)[];
  sheet: Row[] | null;
  newest: boolean;
  over: Over | null;
  /** Added by the page: when the computer acts instead. */
  until: number;
}

type Hint = { type: "hint"; version: number; hand_no: number; action: number; card: string; values: Values; unit: string };
type Cost = { trick: number; seat: number; card: string; event: number; cost: number; exact: boolean; values: Values };
type Review = { type: "review"; hand_no: number; cards: Cost[]; curve: string; says: string };
type Said = { type: "why" | "refused"; text: string };

interface Table {
  id: string;
  title: string;
  host: boolean;
  adviser: string;
  reviews: boolean;
  game: string;
  start: string;
}

interface Puzzle {
  id: string;
  event: number;
  hand: Hand;
  step: Step;
  seat: number;
  card: string;
  best_card: string;
  best_value: number;
  second_value: number;
}

/** How `draw` shows a step. */
interface Sight {
  seat: number;
  hide: boolean;
  notes?: string[][];
  pick?: ((card: string, index?: number) => Attributes | null) | null;
}

type Mine = View & { choice: Choice };
type Finished = View & { over: Over };
/** Where the cards on the table and in the hand at the bottom were. */
type Positions = { held: Map<string, DOMRect>; laid: Set<string>; trick: { card: HTMLElement; box: DOMRect }[] };
type Message = View | Hint | Review | Said;
