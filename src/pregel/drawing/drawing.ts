export interface DrawableNode {
  readonly id: string;
  readonly name: string;
  /** The name of the graph in it. */
  readonly graph?: string | undefined;
  /** What the node is: something that runs, or what the graph takes or gives. */
  readonly kind: "runnable" | "schema";
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface DrawableEdge {
  readonly source: string;
  readonly target: string;
  /** What is written at it. */
  readonly data?: string | undefined;
  /** Drawn as a dotted line: the node, or a condition, decides whether to go there. */
  readonly conditional?: boolean | undefined;
}

/** What is drawn. */
export interface Drawing {
  readonly nodes: Readonly<Record<string, DrawableNode>>;
  readonly edges: readonly DrawableEdge[];
  firstNode(): DrawableNode | undefined;
  lastNode(): DrawableNode | undefined;
}
