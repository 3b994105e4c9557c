import { GraphValidationError } from "../../graph-errors.ts";
import type { DrawableEdge, DrawableNode, Drawing } from "./drawing.ts";
import { mermaidText, type MermaidOptions } from "./mermaid.ts";

/** The nodes and edges of a graph, to be drawn. Ids of nodes in graphs inside it begin with those of the nodes they are in. */
export class DrawableGraph implements Drawing {
  nodes: Readonly<Record<string, DrawableNode>>;
  edges: readonly DrawableEdge[];

  constructor(
    parts: { nodes?: Readonly<Record<string, DrawableNode>>; edges?: readonly DrawableEdge[] } = {},
  ) {
    this.nodes = parts.nodes ?? {};
    this.edges = parts.edges ?? [];
  }

  addNode(node: Omit<DrawableNode, "name">): DrawableNode {
    if (Object.hasOwn(this.nodes, node.id))
      throw new GraphValidationError(`A node "${node.id}" is in the drawing already.`);
    const added: DrawableNode = { ...node, name: node.id };
    this.nodes = { ...this.nodes, [node.id]: added };
    return added;
  }

  removeNode({ id }: Pick<DrawableNode, "id">): void {
    this.nodes = Object.fromEntries(Object.entries(this.nodes).filter(([other]) => other !== id));
    this.edges = this.edges.filter(({ source, target }) => source !== id && target !== id);
  }

  addEdge(edge: DrawableEdge): void {
    for (const id of [edge.source, edge.target]) {
      if (!Object.hasOwn(this.nodes, id))
        throw new GraphValidationError(`An edge needs the node "${id}", which is not in the drawing.`);
    }
    this.edges = [...this.edges, edge];
  }

  /** The node where everything begins: the one that no edge leads to. */
  firstNode(): DrawableNode | undefined {
    return this.#onlyNode((edge) => edge.target);
  }

  /** The node where everything ends: the one that no edge leaves. */
  lastNode(): DrawableNode | undefined {
    return this.#onlyNode((edge) => edge.source);
  }

  /** Removes the first node, if what is left has one first node again. */
  trimFirstNode(): void {
    const first = this.firstNode();
    if (first && this.#without(first).firstNode()) this.removeNode(first);
  }

  /** Removes the last node, if what is left has one last node again. */
  trimLastNode(): void {
    const last = this.lastNode();
    if (last && this.#without(last).lastNode()) this.removeNode(last);
  }

  /** Takes another drawing in as that of a node: returns the ids of its first and last node here. */
  extend(other: DrawableGraph, prefix: string): { readonly first?: string; readonly last?: string } {
    const prefixed = (id: string): string => `${prefix}:${id}`;
    const nodes = Object.values(other.nodes).map((node): [string, DrawableNode] => {
      const id = prefixed(node.id);
      return [id, { ...node, id }];
    });
    this.nodes = { ...this.nodes, ...Object.fromEntries(nodes) };
    const edges = other.edges.map((edge) => {
      return { ...edge, source: prefixed(edge.source), target: prefixed(edge.target) };
    });
    this.edges = [...this.edges, ...edges];
    const first = other.firstNode();
    const last = other.lastNode();
    return { ...(first && { first: prefixed(first.id) }), ...(last && { last: prefixed(last.id) }) };
  }

  toJSON(): { readonly nodes: readonly object[]; readonly edges: readonly object[] } {
    return {
      nodes: Object.values(this.nodes).map(({ id, name, graph, kind, metadata }) => ({
        id,
        type: kind,
        data: kind === "runnable" ? { name: graph ?? name } : {},
        ...(metadata === undefined ? {} : { metadata }),
      })),
      edges: this.edges.map(({ source, target, data, conditional }) => ({
        source,
        target,
        ...(data === undefined ? {} : { data }),
        ...(conditional === undefined ? {} : { conditional }),
      })),
    };
  }

  /** The drawing in the language of Mermaid (https://mermaid.js.org): GitHub, editors and wikis show it. */
  drawMermaid(options: MermaidOptions = {}): string {
    return mermaidText(this, options);
  }

  #without({ id }: DrawableNode): DrawableGraph {
    const rest = new DrawableGraph({ nodes: this.nodes, edges: this.edges });
    rest.removeNode({ id });
    return rest;
  }

  #onlyNode(endOf: (edge: DrawableEdge) => string): DrawableNode | undefined {
    const taken = new Set(this.edges.map(endOf));
    const [only, ...others] = Object.values(this.nodes).filter(({ id }) => !taken.has(id));
    return others.length === 0 ? only : undefined;
  }
}
