// Edits that name the version that they have read, and reads that name the version that they have.
import type { Random } from '../nemesis/random.ts'
import type { Attack } from './attack.ts'
import type { ApiAnswer } from './checked-api.ts'
import { createJob, createSchedule, kind } from './subjects.ts'

const roundsAtOnce = 6
const writers = 4
const racesPerReader = 4
const writesPerReader = 8

export async function attackEntityTags(attack: Attack): Promise<void> {
  await attack.rounds(roundsAtOnce, async (n, random) => {
    await (n % racesPerReader === 0 ? readWhileWritten(attack, n, random) : raceForTag(attack, random))
  })
}

const tagOf = ({ headers }: ApiAnswer): string => headers.get('etag') ?? ''

/** Of several edits with the same tag one is taken. An older tag never is, an act in between is a change, and `*` is any version. */
async function raceForTag({ api, report, count }: Attack, random: Random): Promise<void> {
  const { target } = await createJob(api, random)
  const patch = (body: object, tag?: string): Promise<ApiAnswer> =>
    api.send({ method: 'PATCH', target, body, headers: tag === undefined ? {} : { 'if-match': tag } })
  const read = (): Promise<ApiAnswer> => api.send({ method: 'GET', target })
  const expectStatus = (what: string, { status }: ApiAnswer, expected: number): void => {
    if (status !== expected) report(`${target}: ${what} was answered ${status}, not ${expected}`)
  }

  const first = tagOf(await read())
  const weights = Array.from({ length: writers }, (_, index) => index + 2)
  const answers = await Promise.all(weights.map((weight) => patch({ weight }, first)))
  const winners = weights.filter((_, index) => answers[index]?.status === 200)
  const others = answers.filter(({ status }) => status !== 200 && status !== 412)
  if (winners.length !== 1 || others.length > 0)
    report(`${target}: of ${writers} edits with one tag ${winners.length} were taken`)
  const after = await read()
  if (winners.length === 1 && after.body['weight'] !== winners[0])
    report(`${target}: the edit that was taken is not there`)
  count('races for a tag')

  expectStatus('an older tag', await patch({ weight: 20 }, first), 412)
  expectStatus('no tag', await patch({ weight: 21 }), 428)
  expectStatus('a list of tags', await patch({ weight: 22 }, `"other", ${tagOf(after)}`), 200)
  expectStatus('any version', await patch({ weight: 23 }, '*'), 200)
  const last = await read()
  if (last.body['weight'] !== 23) report(`${target}: an edit that was answered 200 is not there`)
  const far = '2999-01-01T00:00:00.000Z'
  const [edit, start] = await Promise.all([
    patch({ run_at: far }, tagOf(last)),
    api.send({ method: 'POST', target: `${target}/run-now` }),
  ])
  const isPutOff = (await read()).body['run_at'] === far
  if (edit.status === 200 && start.status === 200 && isPutOff)
    report(`${target}: an edit was taken with the tag from before a run-now`)
}

/**
 * One writer changes a thing again and again, and a reader says which version it has. A 304 means that version, and every
 * answer is a version between the last one answered before the read and the last one sent before its answer.
 */
async function readWhileWritten({ api, report, count }: Attack, n: number, random: Random): Promise<void> {
  const { written, read, weightIn } = await random.pick(readTargets)(api, n, random)
  let sent = 1
  let answered = 1
  const write = async (): Promise<void> => {
    for (let weight = 2; weight <= writesPerReader; weight += 1) {
      sent = weight
      await api.send({ method: 'PATCH', target: written, body: { weight }, headers: { 'if-match': '*' } })
      answered = weight
    }
  }
  let isOver = false
  const follow = async (): Promise<void> => {
    const weights = new Map<string, number>()
    let tag = ''
    for (let isLast = false; !isLast; ) {
      isLast = isOver
      const least = answered
      const headers = tag === '' ? {} : { 'if-none-match': tag }
      const answer = await api.send({ method: 'GET', target: read, headers })
      const weight = answer.status === 304 ? weights.get(tag) : weightIn(answer)
      if (answer.status === 200 && tagOf(answer) === tag) report(`${read}: 200 with the tag that was sent`)
      if (weight === undefined || weight < least || weight > sent)
        report(
          `${read}: ${answer.status} shows version ${weight} after ${least} was answered and ${sent} sent`,
        )
      if (answer.status === 304) count('unchanged reads')
      else weights.set((tag = tagOf(answer)), weight ?? 0)
    }
  }
  const writing = write().finally(() => (isOver = true))
  await Promise.all([writing, follow()])
}

interface ReadTarget {
  readonly written: string
  readonly read: string
  weightIn(answer: ApiAnswer): number | undefined
}

const weightOf = (value: unknown): number => (value as { readonly weight: number }).weight
const weightInItem = ({ body }: ApiAnswer): number => weightOf(body)
const weightInList = ({ body }: ApiAnswer): number | undefined => {
  const [item] = body['data'] as readonly unknown[]
  return item === undefined ? undefined : weightOf(item)
}

const readTargets: readonly ((api: Attack['api'], n: number, random: Random) => Promise<ReadTarget>)[] = [
  async (api, _n, random) => {
    const { target } = await createJob(api, random)
    return { written: target, read: target, weightIn: weightInItem }
  },
  async (api, n, random) => {
    const { target } = await createJob(api, random, { metadata: { read: n } })
    return { written: target, read: `/jobs?metadata[read]=${n}&kind=${kind}`, weightIn: weightInList }
  },
  async (api, n) => {
    const { target } = await createSchedule(api, `tagged-${n}`)
    return { written: target, read: target, weightIn: weightInItem }
  },
  async (api, n) => {
    const { target, source } = await createSchedule(api, `tagged-${n}`)
    return { written: target, read: `/schedules?source=${source}`, weightIn: weightInList }
  },
]
