import type { DrawableEdge, DrawableNode, Drawing } from "./drawing.ts";

export interface MermaidOptions {
  /** Whether nodes have shapes and colours; true. Without, only the edges are written. */
  readonly withStyles?: boolean | undefined;
  /** How lines bend: one of Mermaid's curves; "linear". */
  readonly curveStyle?: string | undefined;
  /** Style by class; the classes are `default`, `first` and `last`. */
  readonly nodeColors?: Readonly<Record<string, string>> | undefined;
  /** Labels of edges go on in a new line after so many words; 9. */
  readonly wrapLabelNWords?: number | undefined;
}

const COLORS = {
  default: "fill:#f2f0ff,line-height:1.2",
  first: "fill-opacity:0",
  last: "fill:#bfb6fc",
};
/** Around a label, these would be read as Markdown. */
const MARKDOWN = ["*", "_", "`"];

export function mermaidText(graph: Drawing, options: MermaidOptions): string {
  const { withStyles = true, curveStyle = "linear", nodeColors = COLORS, wrapLabelNWords = 9 } = options;
  const edges = edgeLines(graph.edges, wrapLabelNWords);
  const lines = withStyles
    ? [
        `%%{init: {'flowchart': {'curve': '${curveStyle}'}}}%%`,
        "graph TD;",
        ...nodeLines(graph),
        ...edges,
        ...Object.entries(nodeColors).map(([name, style]) => `\tclassDef ${name} ${style};`),
      ]
    : ["graph TD;", ...edges];
  return `${lines.join("\n")}\n`;
}

function nodeLines(graph: Drawing): string[] {
  const first = graph.firstNode()?.id;
  const last = graph.lastNode()?.id;
  return Object.values(graph.nodes).map((node) => {
    const label = labelOf(node);
    const id = idOf(node.id);
    if (node.id === last) return `\t${id}([${label}]):::last`;
    return node.id === first ? `\t${id}([${label}]):::first` : `\t${id}(${label})`;
  });
}

function labelOf({ name, metadata = {} }: DrawableNode): string {
  const own = name.slice(name.lastIndexOf(":") + 1);
  const isMarkdown = MARKDOWN.some((mark) => own.startsWith(mark) && own.endsWith(mark));
  const title = isMarkdown ? `<p>${own}</p>` : own;
  const lines = Object.entries(metadata).flatMap(([key, value]) => {
    const text = metadataText(value);
    return text === undefined ? [] : [escaped(`${key} = ${text}`)];
  });
  return lines.length === 0 ? title : `${title}<hr/><small><em>${lines.join("\n")}</em></small>`;
}

/** Of metadata, simple values and lists of them are shown. */
function metadataText(value: unknown): string | undefined {
  if (isSimple(value)) return String(value);
  return Array.isArray(value) && value.every(isSimple) ? value.join(",") : undefined;
}

function isSimple(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function escaped(text: string): string {
  return text.replaceAll(/[#[\](){}"<>|]/g, (char) => (char === '"' ? "#quot;" : `#${char.codePointAt(0)};`));
}

function idOf(id: string): string {
  return id.replaceAll(/[^\w-]/g, "_");
}

/** The edges of one drawing, and the drawings inside it. */
interface Group {
  readonly path: readonly string[];
  readonly edges: DrawableEdge[];
  readonly inside: Map<string, Group>;
}

/** Edges inside a node are drawn in a box with its name: before those around it, but after those of the outermost graph. */
function edgeLines(edges: readonly DrawableEdge[], wrapAt: number): string[] {
  const root = groupsOf(edges);
  const own = root.edges.map((edge) => edgeLine(edge, wrapAt));
  return [...own, ...[...root.inside.values()].flatMap((group) => boxLines(group, wrapAt))];
}

function groupsOf(edges: readonly DrawableEdge[]): Group {
  const root: Group = { path: [], edges: [], inside: new Map() };
  for (const edge of edges) {
    const target = edge.target.split(":");
    let group = root;
    for (const part of edge.source.split(":").filter((name, depth) => name === target[depth])) {
      let inner = group.inside.get(part);
      if (inner === undefined) {
        inner = { path: [...group.path, part], edges: [], inside: new Map() };
        group.inside.set(part, inner);
      }
      group = inner;
    }
    group.edges.push(edge);
  }
  return root;
}

function boxLines({ path, edges, inside }: Group, wrapAt: number): string[] {
  const own = edges.map((edge) => edgeLine(edge, wrapAt));
  const inner = [...inside.values()].flatMap((group) => boxLines(group, wrapAt));
  const [only] = edges;
  // An edge of a node to itself shares its whole path; it needs no box.
  const isLoop = edges.length === 1 && only?.source === only?.target;
  return isLoop ? [...inner, ...own] : [`\tsubgraph ${path.at(-1)}`, ...inner, ...own, "\tend"];
}

function edgeLine({ source, target, data, conditional }: DrawableEdge, wrapAt: number): string {
  return `\t${idOf(source)}${arrow(data, conditional, wrapAt)}${idOf(target)};`;
}

function arrow(label: string | undefined, conditional: boolean | undefined, wrapAt: number): string {
  if (label === undefined) return conditional ? " -.-> " : " --> ";
  const text = `&nbsp;${wrapped(label, wrapAt)}&nbsp;`;
  return conditional ? ` -. ${text} .-> ` : ` -- ${text} --> `;
}

function wrapped(label: string, wrapAt: number): string {
  const words = label.split(" ");
  const lines: string[] = [];
  for (let at = 0; at < words.length; at += wrapAt) lines.push(words.slice(at, at + wrapAt).join(" "));
  return lines.join("&nbsp;<br>&nbsp;");
}
