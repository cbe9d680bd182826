// Names functions and operators of PostgreSQL with their schema, in the text of every statement that is compiled.

/** What looks like the call of a function and is syntax. */
const syntax: ReadonlySet<string> = new Set([
  'all',
  'any',
  'array',
  'as',
  'cast',
  'coalesce',
  'exists',
  'extract',
  'filter',
  'greatest',
  'in',
  'interval',
  'least',
  'not',
  'nullif',
  'numeric',
  'over',
  'position',
  'row',
  'some',
  'substring',
  'trim',
  'using',
  'values',
])

/**
 * Operators that bind as `OPERATOR(…)` does, so that naming their schema changes nothing else. Of comparisons and arithmetic, which
 * bind otherwise, our statements use only those that PostgreSQL has for exactly the types of both sides.
 */
const operators: ReadonlySet<string> = new Set(['&', '&&', '->', '->>', '?', '#>>', '@>', '||'])

/**
 * A literal, a quoted name, a comment, an unqualified name before a parenthesis, or an operator. Only the last two are captured. A
 * backslash is an escape in literals that begin with E alone: they are the only ones whose meaning no setting changes.
 */
const calls =
  /(?<![\w$])[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|((?<![\w.$])[a-z_][a-z_0-9]*(?=\()|(?<!\(pg_catalog\.)[-+*/<>=~!@#%^&|`?]+)/g

/**
 * A function or operator of PostgreSQL that accepts many types, such as `unnest` or `||`, gives way to one in any schema of the
 * search path whose arguments fit exactly, and that one runs with the rights of the session. The search path of a caller's session,
 * or of one behind a pooler, is not ours to set, so each call names `pg_catalog`. docs/decisions/0195, docs/decisions/0231
 */
export function qualifyNames(text: string): string {
  return text.replaceAll(calls, (found, name: string | undefined, at: number) => {
    if (name === undefined) return found
    return /^\w/.test(name) ? functionAt({ text, at }, name) : operatorAt({ text, at }, name)
  })
}

interface Place {
  readonly text: string
  readonly at: number
}

function functionAt({ text, at }: Place, name: string): string {
  if (syntax.has(name)) return name
  // With several arrays it is syntax, which PostgreSQL itself turns into calls of its own function.
  if (name === 'unnest' && hasSeveralArguments(text, at + name.length)) return name
  return `pg_catalog.${name}`
}

function operatorAt({ text, at }: Place, operator: string): string {
  if (!operators.has(operator)) return operator
  const gap = /\w/.test(text[at - 1] ?? '') ? ' ' : ''
  return `${gap}OPERATOR(pg_catalog.${operator})`
}

/** A literal, a quoted name, or a character that groups or separates arguments. */
const argumentParts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[()[\],]/g

/** Whether the parentheses that begin at `start` have a comma of their own, outside of literals and inner brackets. */
function hasSeveralArguments(text: string, start: number): boolean {
  let depth = 0
  for (const [part] of text.slice(start).matchAll(argumentParts)) {
    if (part === '(' || part === '[') depth += 1
    else if (part === ')' || part === ']') depth -= 1
    else if (part === ',' && depth === 1) return true
    if (depth === 0) return false
  }
  return false
}
