// Names each function of PostgreSQL with its schema, in the text of every statement that is compiled.

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
 * A literal, a quoted name, a comment, or an unqualified name before a parenthesis. Only the last is captured. A backslash is an
 * escape in literals that begin with E alone: they are the only ones whose meaning no setting changes.
 */
const calls =
  /(?<![\w$])[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|(?<![\w.$])([a-z_][a-z_0-9]*)(?=\()/g

/**
 * A function of PostgreSQL that accepts many types, such as `unnest`, gives way to a function in any schema of the search path
 * whose arguments fit exactly, and that function runs with the rights of the session. The search path of a caller's session, or of
 * one behind a pooler, is not ours to set, so each call names `pg_catalog`.
 */
export function qualifyFunctions(text: string): string {
  return text.replaceAll(calls, (found, name: string | undefined, at: number) => {
    if (name === undefined || syntax.has(name)) return found
    // With several arrays it is syntax, which PostgreSQL itself turns into calls of its own function.
    if (name === 'unnest' && hasSeveralArguments(text, at + name.length)) return found
    return `pg_catalog.${name}`
  })
}

/** Whether the parentheses that begin at `start` have a comma of their own. */
function hasSeveralArguments(text: string, start: number): boolean {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (character === '(') depth += 1
    else if (character === ')') depth -= 1
    else if (character === ',' && depth === 1) return true
    if (depth === 0) return false
  }
  return false
}
