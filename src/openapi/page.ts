import { html, raw } from "hono/html";
import type { OpenApiDocument } from "./document.ts";
import type { DocumentedAnswer } from "./documented-answer.ts";
import type { DocumentedOperation, Parameter } from "./documented-operation.ts";
import { curlOf } from "./curl.ts";

type Html = ReturnType<typeof html>;

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  code, pre { font: 0.875rem/1.4 ui-monospace, monospace; }
  pre { overflow-x: auto; padding: 0.75rem; border: 1px solid #8884; border-radius: 0.25rem; }
  details { border-bottom: 1px solid #8884; padding: 0.4rem 0; }
  summary { cursor: pointer; }
  summary b { display: inline-block; min-width: 4.5rem; }
  table { border-collapse: collapse; width: 100%; }
  td { padding: 0.2rem 1rem 0.2rem 0; vertical-align: top; }
`;

/** The document as a page that runs and loads nothing. */
export function pageOf({ info, tags, paths, components }: OpenApiDocument): Html {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${info.title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <h1>${info.title} ${info.version}</h1>
        <p>${info.description}</p>
        <p><a href="/openapi.json">openapi.json</a></p>
        ${groups.map(
          (group) =>
            html`<h2>${group.name}</h2>
              <p>${group.description}</p>
              ${group.operations.map(({ method, path, operation }) => operationBlock(method, path, operation))}`,
        )}
        <h2>schemas</h2>
        ${Object.entries(components.schemas).map(
          ([name, schema]) =>
            html`<details id="${name}">
              <summary><code>${name}</code></summary>
              ${schemaBlock(schema)}
            </details>`,
        )}
      </body>
    </html>`;
}

function operationBlock(method: string, path: string, operation: DocumentedOperation): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const bodies = Object.entries(requestBody?.content ?? {});
  return html`<details id="${operationId}">
    <summary><b>${method.toUpperCase()}</b> <code>${path}</code> ${summary}</summary>
    ${description && html`<p>${description}</p>`}
    ${
      parameters.length > 0 &&
      html`<table>
        ${parameters.map(parameterRow)}
      </table>`
    }
    ${bodies.map(
      ([type, { schema }]) =>
        html`<p>Body: <code>${type}</code></p>
          ${schema && schemaBlock(schema)}`,
    )}
    <pre>${curlOf(method, path, operation)}</pre>
    <table>
      ${Object.entries(responses).map(answerRow)}
    </table>
  </details>`;
}

function parameterRow({ name, in: place, required, description = "", schema }: Parameter): Html {
  return html`<tr>
    <td><code>${name}</code></td>
    <td>${place}${required ? ", required" : ""}</td>
    <td>${description} <code>${JSON.stringify(schema)}</code></td>
  </tr>`;
}

function answerRow([status, { description, content = {} }]: [string, DocumentedAnswer]): Html {
  const [answer] = Object.entries(content);
  return html`<tr>
    <td>${status}</td>
    <td>${description}</td>
    <td>${answer && html`<code>${answer[0]}</code> ${answer[1].schema && linked(answer[1].schema)}`}</td>
  </tr>`;
}

function schemaBlock(schema: object): Html {
  return html`<pre>${linked(schema, 2)}</pre>`;
}

/** JSON, in which references lead to what they name. */
function linked(schema: object, indent?: number): Html[] {
  const text = JSON.stringify(schema, null, indent);
  return text
    .split(/"#\/components\/schemas\/([\w.-]+)"/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="#${part}">${part}</a>` : html`${part}`));
}
