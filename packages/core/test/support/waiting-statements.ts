import { initial } from '../../src/migrations/0001-initial.ts'
import { committedStatements } from './committed-statements.ts'

/** What a statement does that can be wrong once it has waited. */
export interface WaitingStatement {
  /** The module that sends it, or the function that contains it, with parentheses. */
  readonly name: string
  /** Whether it uses an instant from before its wait. */
  readonly hasOldClock: boolean
  /** The tables whose existing rows it changes or removes. */
  readonly changes: readonly string[]
}

/** The statements that can wait for a lock on a row: each module and each function of the schema once. */
export function waitingStatements(): WaitingStatement[] {
  const byName = Map.groupBy([...sentStatements(), ...functionStatements()], ({ name }) => name)
  return [...byName].flatMap(([name, statements]) => {
    const waiting = statements.filter(({ text }) => canWait(text))
    if (waiting.length === 0) return []
    const changes = waiting.map(({ text }) => changedTables(text))
    return {
      name,
      hasOldClock: waiting.some(({ text }) => oldClock.test(text)),
      changes: changes.toSorted((a, b) => b.length - a.length)[0] ?? [],
    }
  })
}

/** The statements that change existing jobs. */
export function changesOfJobs(): NamedStatement[] {
  return [...sentStatements(), ...functionStatements()].filter(({ text }) =>
    changedTables(text.replaceAll('delete from', '')).includes('jobs'),
  )
}

interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** All variants of a statement have the name of its module. */
function sentStatements(): NamedStatement[] {
  return committedStatements().map(({ name, text }) => ({
    name: name.split('.', 1)[0] ?? name,
    text: plain(text),
  }))
}

/** The statements inside the functions of the schema. Each statement of a function sees what was committed before it. */
function functionStatements(): NamedStatement[] {
  return initial
    .up('"queue"')
    .map(({ sql }) => plain(sql))
    .flatMap((sql) => {
      const name = /^create function queue\.(\w+)/.exec(sql)?.[1]
      return name === undefined ? [] : sql.split(';').map((text) => ({ name: `${name}()`, text }))
    })
}

function plain(sql: string): string {
  return sql.toLowerCase().replaceAll('"', '').replaceAll(/\s+/g, ' ')
}

const oldClock = /\b(?:now|statement_timestamp|transaction_timestamp)\(\)|\bcurrent_timestamp\b/
const lock =
  /\bfor (?:no key )?(?:update|share)\b(?: of \w+)?(?! skip locked)|\bfor key share\b(?! skip locked)/
const change = /\b(?:update|delete from) queue\.(?:tenant_)?(\w+)/g

function canWait(text: string): boolean {
  return lock.test(text) || text.includes(' on conflict ') || changedTables(text).length > 0
}

function changedTables(text: string): string[] {
  return [...new Set([...text.matchAll(change)].flatMap((match) => match[1] ?? []))]
}
