import type { TestDatabase } from '@queue/testing'
import type { Random } from '../nemesis/random.ts'
import type { CheckedApi } from '../requests/checked-api.ts'
import type { ScenarioContext } from '../scenarios/scenario.ts'
import { type ActDeps, type ActedOn, actOnJob, killed } from './act-on-job.ts'
import { count, type DoorRecord, recordAnswer } from './check-doors.ts'
import { createCommandDoors, createDoors, type Door, type DoorDeps } from './doors.ts'
import { anyJob, type Document, type DocumentBounds, drawDocument, jobOfSchedule } from './drawn-document.ts'
import { createScheduleDoors } from './schedule-doors.ts'
import { sendInTransaction, type TransactionAnswer, transactionDoor } from './transactions.ts'

/** How many documents are under way at a time. */
const atOnce = 4
/** A process is started for each job on the command line. */
const documentsPerCommand = 20
const builtInJob: DocumentBounds = { ...anyJob, kinds: ['builtIn'] }

/** Sends documents in every way, the same one in each at the same time, and records the answers. */
export async function sendDocuments(
  { database, api }: { readonly database: TestDatabase; readonly api: CheckedApi },
  { random, size, signal, progress }: Pick<ScenarioContext, 'random' | 'size' | 'signal' | 'progress'>,
  record: DoorRecord,
): Promise<void> {
  const deps: DoorDeps = {
    queue: database.queue,
    pool: database.pool,
    request: (method, target, body) => api.send({ method, target, body, process: 0 }),
    ways: { api: () => ({ QUEUE_API_URL: api.url }), database: () => ({ DATABASE_URL: database.url }) },
  }
  const jobDoors = createDoors(deps)
  const doors: Readonly<Record<string, readonly [Readonly<Record<string, Door>>, DocumentBounds]>> = {
    job: [jobDoors, anyJob],
    schedule: [{ ...jobDoors, ...createScheduleDoors(deps) }, jobOfSchedule],
    command: [{ ...jobDoors, ...createCommandDoors(deps) }, builtInJob],
  }
  const acts: ActDeps = { queue: database.queue, api, kill: createKill(api, record) }
  let sent = 0
  const repeat = async (): Promise<void> => {
    while (sent < size.count) {
      signal.throwIfAborted()
      const n = (sent += 1)
      progress(`${n} of ${size.count} documents`)
      const draws = random.fork(`document ${n}`)
      const sort = n % documentsPerCommand === 0 ? 'command' : draws.pick(['job', 'job', 'schedule'] as const)
      count(record, sort)
      const [ways, bounds] = doors[sort] ?? [jobDoors, anyJob]
      await Promise.all([
        ...Object.entries(ways).map(([name, door], place) =>
          sendOnce(record, { name, door }, drawDocument(draws.fork('document'), `d${n}-${place}`, bounds)),
        ),
        sendInTransaction(deps, draws.fork('ends'), drawParts(draws.fork('transaction'), `t${n}`)).then(
          (answers) => recordTransaction(record, answers),
        ),
        n % 2 === 0
          ? actOnJob(acts, draws.fork('acts'), `a${n}`).then((acted) => recordActs(record, acted))
          : undefined,
      ])
    }
  }
  await Promise.all(Array.from({ length: atOnce }, repeat))
}

async function sendOnce(
  record: DoorRecord,
  { name, door }: { readonly name: string; readonly door: Door },
  document: Document,
): Promise<void> {
  recordAnswer(record, { name, door, document }, await door.send(document))
}

/** Draws the documents of the parts of a transaction. */
function drawParts(random: Random, call: string): Document[][] {
  return Array.from({ length: random.between(1, 3) }, (_, part) =>
    Array.from({ length: random.between(1, 3) }, (_one, place) =>
      drawDocument(random.fork(`${part} ${place}`), `${call}-${part}${place}`, anyJob),
    ),
  )
}

function recordTransaction(record: DoorRecord, answers: readonly TransactionAnswer[]): void {
  for (const { document, answer, isCommitted } of answers) {
    const sent = { name: 'a transaction', door: transactionDoor, document, isRolledBack: !isCommitted }
    recordAnswer(record, sent, answer)
  }
}

function recordActs(record: DoorRecord, { faults, ids }: ActedOn): void {
  count(record, 'acted on')
  record.faults.push(...faults)
  record.acted.push(...ids)
}

/** Replaces the process of the API that may be killed, one time after the other. */
function createKill(api: CheckedApi, record: DoorRecord): ActDeps['kill'] {
  let replaced: Promise<void> = Promise.resolve()
  return () => {
    count(record, 'kills')
    replaced = replaced.then(() => api.replace(killed))
    return replaced
  }
}
