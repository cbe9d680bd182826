/** What a template consists of, as Go's text/template has it; of the language, the part that the chart uses. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly pipeline: string }
  | { readonly kind: 'assign'; readonly variable: string; readonly pipeline: string }
  | {
      readonly kind: 'if' | 'with' | 'range'
      readonly pipeline: string
      /** The names that `range` gives to key and value. */
      readonly variables: readonly string[]
      readonly body: readonly Node[]
      readonly otherwise: readonly Node[]
    }

/** A file of templates: what it says outside of any `define`, and what it defines. */
export interface ParsedTemplate {
  readonly body: readonly Node[]
  readonly defines: ReadonlyMap<string, readonly Node[]>
}

interface Cursor {
  readonly tokens: readonly Token[]
  next: number
}

type Token = { readonly text: string } | { readonly action: string }

/** Throws on a block without an end, and on an action that the chart has not used so far. */
export function parseTemplate(text: string): ParsedTemplate {
  const defines = new Map<string, readonly Node[]>()
  const cursor = { tokens: tokensOf(text), next: 0 }
  const { nodes, end } = parseNodes(cursor, defines)
  if (end !== undefined) throw new Error(`{{ ${end} }} ends nothing`)
  return { body: nodes, defines }
}

/** A dash inside the braces takes the white space beside it away. Comments are gone. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let trimNext = false
  let from = 0
  for (const match of text.matchAll(/\{\{(- )?([\s\S]*?)( -)?\}\}/g)) {
    const [whole, trimLeft, action = '', trimRight] = match
    let before = text.slice(from, match.index)
    if (trimNext) before = before.trimStart()
    if (trimLeft !== undefined) before = before.trimEnd()
    tokens.push({ text: before })
    if (!action.trim().startsWith('/*')) tokens.push({ action: action.trim() })
    trimNext = trimRight !== undefined
    from = match.index + whole.length
  }
  const rest = text.slice(from)
  return [...tokens, { text: trimNext ? rest.trimStart() : rest }]
}

function parseNodes(
  cursor: Cursor,
  defines: Map<string, readonly Node[]>,
): { nodes: Node[]; end: string | undefined } {
  const nodes: Node[] = []
  for (;;) {
    const token = cursor.tokens[cursor.next++]
    if (token === undefined) return { nodes, end: undefined }
    if ('text' in token) nodes.push({ kind: 'text', text: token.text })
    else if (/^(?:end|else)\b/.test(token.action)) return { nodes, end: token.action }
    else if (token.action.startsWith('define ')) {
      const name = /^define "([^"]+)"$/.exec(token.action)?.[1] ?? ''
      defines.set(name, parseNodes(cursor, defines).nodes)
    } else nodes.push(parseAction(token.action, cursor, defines))
  }
}

function parseAction(action: string, cursor: Cursor, defines: Map<string, readonly Node[]>): Node {
  const block = /^(if|with|range) (?:((?:\$\w+, )?\$\w+) := )?([\s\S]+)$/.exec(action)
  if (block === null) {
    const { variable, pipeline = '' } =
      /^(?<variable>\$\w+) :?= (?<pipeline>[\s\S]+)$/.exec(action)?.groups ?? {}
    return variable === undefined
      ? { kind: 'output', pipeline: action }
      : { kind: 'assign', variable, pipeline }
  }
  const [, kind, variables = '', pipeline = ''] = block
  const { nodes: body, end } = parseNodes(cursor, defines)
  const otherwise = end === 'else' ? parseNodes(cursor, defines).nodes : []
  if (end !== 'else' && end !== 'end') throw new Error(`{{ ${action} }} is not ended, but by {{ ${end} }}`)
  return {
    kind: kind as 'if' | 'with' | 'range',
    pipeline,
    variables: variables === '' ? [] : variables.split(', '),
    body,
    otherwise,
  }
}
