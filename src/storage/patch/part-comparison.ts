import type { SharedEnds } from "../../values/shared-ends.ts";
import type { Change } from "./change.ts";

/** Says how the parts of a record became those of the next one. */
export interface PartComparison {
  /** Undefined when they are equal: the old one stays. `key`: where they stand. */
  compare(old: unknown, next: unknown, key?: string): Change | undefined;
  /** A part that takes no other's place. */
  add(next: unknown, key?: string): Change;
}

/** Says how the members of a list, a Map or a Set did. */
export interface MemberComparison extends PartComparison {
  /** How often an old part was taken for a new one that is another object. */
  readonly substitutions: number;
  /** Whether the new part is the old one, as far as identity tells. */
  isSame(old: unknown, next: unknown): boolean;
  /** Whether they are equal. Leaves no trace when they are not. */
  isEqual(old: unknown, next: unknown): boolean;
  /** What is known of the ends of two sequences: members that are not the same count as substituted. */
  knownEnds(old: object, next: object): SharedEnds | undefined;
}

/** Takes note of what stands elsewhere in the state. */
export interface PlaceComparison extends MemberComparison {
  /** Whether the change refers to another place of the state. */
  refers: boolean;
  /** Whether what it says of growth is true: what stands elsewhere is not counted again and again, nor for nothing. */
  isWeighed: boolean;
  /** The form in which a part is stored. */
  storedForm(part: unknown): unknown;
  /** Whether it was found already that they have too little in common. */
  isKnownToDiffer(old: object, next: unknown): boolean;
}
