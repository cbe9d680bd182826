import { isExactNumber } from './exact-number.ts'
import { issuesProblem, toIssues } from './issues.ts'
import { isNestedDeeper } from './json-depth.ts'
import { bodyDepthMax, issuesMax } from './limits.ts'
import { Problem } from './problem.ts'

/**
 * The value of a JSON text. Throws 400 when it is not JSON or nested too deep; 422 when it holds what would be
 * changed or misread further on: numbers that a double cannot hold exactly, and members named `__proto__`.
 */
export function parseJson(text: string): unknown {
  if (isNestedDeeper(text, bodyDepthMax)) {
    throw new Problem('unparsable_body', { detail: `the body is nested deeper than ${bodyDepthMax} levels` })
  }
  return mayHoldTraps(text) ? parseWatchfully(text) : parsePlainly(text)
}

function parsePlainly(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error)
  }
}

function notJson(cause: unknown): Problem {
  return new Problem('unparsable_body', { detail: 'the body is not JSON', cause })
}

/** Numbers of sixteen digits and more or with an exponent, and zeros below zero, each after what may stand before. */
const inexactNumberPattern = /(?:^|[[,:\s])(?:-?[\d.]{16}|-?[\d.]+[eE]|-0)/
/** `__proto__`, some of it perhaps written as escapes. */
const protoPattern = /__proto__|\\u00[567]/

/**
 * Whether the text could hold a trap. It may say yes too often (the patterns also look into strings), never no
 * wrongly: watchful parsing takes several times as long, and nearly no body needs it.
 */
function mayHoldTraps(text: string): boolean {
  return inexactNumberPattern.test(text) || protoPattern.test(text)
}

/** A member that cannot be taken: the object or array that holds it, and its name there. */
interface Trap {
  readonly holder: unknown
  readonly key: string
  readonly message: string
}

/** What a reviver is given beside the value; newer than the type library. Only primitives have a source. */
interface ReviverContext {
  readonly source?: string
}

function parseWatchfully(text: string): unknown {
  const traps: Trap[] = []
  // oxlint-disable-next-line max-params -- JSON.parse sets them, and `this` is none.
  function watch(this: unknown, key: string, value: unknown, context?: ReviverContext): unknown {
    const message = faultOf(key, value, context?.source ?? '')
    if (message !== undefined && traps.length < issuesMax) traps.push({ holder: this, key, message })
    return value
  }
  const root = reviveWith(text, watch)
  if (traps.length === 0) return root
  throw trapProblem(root, traps)
}

function faultOf(key: string, value: unknown, source: string): string | undefined {
  if (key === '__proto__') return 'a member may not have this name'
  if (typeof value !== 'number' || isExactNumber(source, value)) return undefined
  return 'cannot be kept exactly: send the number as a string'
}

function reviveWith(text: string, reviver: (this: unknown, key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver)
  } catch (error) {
    throw notJson(error)
  }
}

function trapProblem(root: unknown, traps: readonly Trap[]): Problem {
  const paths = pathsOf(root, new Set(traps.map((trap) => trap.holder)))
  const issues = toIssues(
    traps.map(({ holder, key, message }) => ({ path: [...(paths.get(holder) ?? []), key], message })),
  )
  return issuesProblem('invalid_job', issues)
}

/** Where each of the `wanted` objects and arrays stands in a document. One walk, whatever their number. */
function pathsOf(root: unknown, wanted: ReadonlySet<unknown>): Map<unknown, string[]> {
  const found = new Map<unknown, string[]>()
  const pending: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: root, path: [] }]
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { value, path } = visit
    if (typeof value !== 'object' || value === null) continue
    if (wanted.has(value)) found.set(value, [...path])
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'object') pending.push({ value: member, path: [...path, key] })
    }
  }
  return found
}
