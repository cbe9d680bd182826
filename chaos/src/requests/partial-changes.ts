// Two partial changes of one thing side by side, and one beside an act: what both answers say holds afterwards.
import { bodySchema, document, resolvePointer } from '@queue/test-http'
import type { Random } from '../nemesis/random.ts'
import { type Attack, hasPart } from './attack.ts'
import { changedThings, type Change, type ChangedThing } from './changed-things.ts'
import type { Members } from './checked-api.ts'

const roundsAtOnce = 8

export async function attackPartialChanges(attack: Attack): Promise<void> {
  const { report, rounds, random } = attack
  for (const fault of unknownMembers()) report(fault)
  // Each pair once before any comes again, in an order of the seed.
  const races = changedThings.flatMap(racesOf)
  const order = new Map(races.map((race) => [race, random.next()]))
  races.sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0))
  await rounds(roundsAtOnce, async (n, draws) => {
    const race = races[n % races.length]
    if (race !== undefined) await sideBySide(attack, { ...race, n }, draws)
  })
}

/** A change of one member, and a change of another or an act. */
interface Race {
  readonly thing: ChangedThing
  readonly member: string
  readonly other: string
}

function racesOf(thing: ChangedThing): Race[] {
  const names = Object.keys(thing.members)
  const all = names.flatMap((member, index) =>
    [...names.slice(index + 1), ...thing.acts].map((other) => ({ thing, member, other })),
  )
  return all.filter(
    ({ member, other }) => !thing.exclusive?.some((group) => group.includes(member) && group.includes(other)),
  )
}

async function sideBySide(
  { api, report, count }: Attack,
  { thing, member, other, n }: Race & { readonly n: number },
  random: Random,
): Promise<void> {
  const { target, identity, read, act, ends } = await thing.create(api, n, random)
  const changeOf = (name: string, process: number): Change => {
    const value = thing.members[name]?.draw(random)
    const body = { ...identity, [name]: value }
    // Any version; the tag of a limit is a version, and without one its change has no condition.
    const headers = target.startsWith('/limits') ? {} : { 'if-match': '*' }
    return {
      send: () => api.send({ method: 'PATCH', target, body, headers, process }),
      shows: thing.members[name]?.shows?.(value) ?? { [name]: value },
    }
  }
  const isAct = thing.acts.includes(other)
  const first = changeOf(member, n)
  const second = isAct ? act(other, n + 1) : changeOf(other, n + 1)
  const [one, two] = await Promise.all([first.send(), second.send()])
  if (one.status >= 300 || two.status >= 300) {
    if (other !== ends || two.status >= 300)
      report(`${target}: ${member} beside ${other} were answered ${one.status} and ${two.status}`)
    return
  }
  count(isAct ? 'changes beside acts' : 'pairs of changes')
  const shown = await read()
  const lost = [...lostOf(shown, first, second), ...lostOf(shown, second, first)]
  if (lost.length === 0) return
  const sent = JSON.stringify([first.shows, second.shows])
  report(
    `${target}: ${lost.join(', ')} is lost of ${member} beside ${other}, ${sent}: ${JSON.stringify(shown)}`,
  )
}

/** The members of a change that neither show it nor what the other change has set. What replaces all may be the last. */
function lostOf(shown: Members, change: Change, beside: Change): string[] {
  return Object.entries(change.shows).flatMap(([name, value]) => {
    const isReplaced = beside.replaces === true && !(name in beside.shows)
    const isLost =
      !isReplaced && !isShown(shown[name], value) && !isShown(shown[name], beside.shows[name] ?? value)
    return isLost ? [name] : []
  })
}

function isShown(value: unknown, expected: unknown): boolean {
  return typeof expected === 'function' ? Boolean(expected(value)) : hasPart(value, expected)
}

/** What a PATCH of the document takes and no race here changes. */
function unknownMembers(): string[] {
  return Object.entries(document.paths).flatMap(([path, { patch }]) => {
    const things = changedThings.filter((thing) => thing.path === path)
    const known = new Set(
      things.flatMap(({ members, identity = [] }) => [...Object.keys(members), ...identity]),
    )
    return membersOf(patch && bodySchema(patch))
      .filter((name) => !known.has(name))
      .map((name) => `PATCH ${path} has the member ${name}, which no race changes`)
  })
}

interface ObjectSchema {
  readonly $ref?: string
  readonly properties?: object
}

function membersOf({ $ref, properties = {} }: ObjectSchema = {}): string[] {
  if ($ref === undefined) return Object.keys(properties)
  return membersOf(resolvePointer($ref.slice(1)) as ObjectSchema)
}
