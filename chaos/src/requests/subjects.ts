import type { Random } from '../nemesis/random.ts'
import type { CheckedApi, Members } from './checked-api.ts'

/** The kinds of the jobs of the attacks. They take any payload, so only what is attacked can be refused. */
export const kind = 'attacked'
export const otherKind = 'attacked_too'
export const queue = 'attacked'
const hoursAwayMs = 10_000_000

export async function registerKinds(api: CheckedApi): Promise<void> {
  const kinds = [kind, otherKind].map((name) => ({ kind: name, payload_schema: {}, sensitive: [] }))
  await expectSuccess(api, { method: 'POST', target: '/kinds', body: { kinds, restore: true } })
}

/**
 * Sends a request without which the attack cannot go on, unless it says otherwise to the process that is never killed. Resolves
 * with the body of its answer.
 */
export async function expectSuccess(
  api: CheckedApi,
  request: Parameters<CheckedApi['send']>[0],
): Promise<Members> {
  const { status, body } = await api.send({ process: 0, ...request })
  if (status < 300) return body
  throw new Error(`${request.method} ${request.target} was answered ${status}: ${JSON.stringify(body)}`)
}

/** A job that waits for hours. */
export async function createJob(
  api: CheckedApi,
  random: Random,
  members: Members = {},
): Promise<{ readonly target: string; readonly id: string }> {
  const payload = { drawn: random.between(0, 1_000_000) }
  const body = { kind, queue, payload, delay_ms: hoursAwayMs, ...members }
  const { id } = await expectSuccess(api, { method: 'POST', target: '/jobs', body })
  return { id: String(id), target: `/jobs/${String(id)}` }
}

/** The members of a new schedule, which does not fire during a run. */
export const scheduleMembers = { kind, payload: { drawn: 0 }, cron: '0 2 29 2 *', time_zone: 'Europe/Berlin' }

/** A schedule of a source of its own. */
export async function createSchedule(
  api: CheckedApi,
  name: string,
  members: Members = {},
): Promise<{ readonly target: string; readonly source: string }> {
  const source = `source-${name}`
  const body = { source, revision: 1, schedules: [{ name, ...scheduleMembers, ...members }] }
  await expectSuccess(api, { method: 'POST', target: '/schedules/sync', body })
  return { target: `/schedules/${name}`, source }
}
