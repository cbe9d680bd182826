import type { KindSummary, KindVersions, RegisteredKinds, RegisterKinds } from '@queue/client'
import type { KindInfo, KindRegistration } from '@queue/core'
import { type Context, defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toWire } from '../doors/wire.ts'
import { Failure, usageFailure } from '../failure.ts'
import { flag } from '../options.ts'
import type { Column } from '../output/table.ts'
import { toSeconds } from './jobs.ts'
import { readDocument } from './payload.ts'

type Registered = RegisteredKinds['data'][number]
type Version = KindVersions['versions'][number]

const listAll = eitherWay<undefined, Promise<KindSummary[]>>({
  api: (client) => client.kinds(),
  database: async (queue) => {
    const known = await withBuiltIn(await queue.kinds.list())
    return [...known].map(([kind, versions]) => ({
      kind,
      description: versions[0]?.description ?? null,
      versions: versions.map(({ version }) => version),
      source: sourceOf(versions[0]),
      retired_at: versions[0]?.retiredAt?.toISOString() ?? null,
    }))
  },
})

const readOne = eitherWay<string, Promise<KindVersions>>({
  api: (client, kind) => client.kind(kind),
  database: async (queue, kind) => {
    const versions = (await withBuiltIn(await queue.kinds.list())).get(kind)
    if (versions === undefined) throw kindNotFound()
    const numbers = versions.map(({ version }) => version)
    const workers = await queue.kinds.countWorkers(kind, numbers)
    return { kind, versions: versions.map((one) => toVersion(one, workers.get(one.version) ?? 0)) }
  },
})

const register = eitherWay<RegisterKinds, Promise<Registered[]>>({
  api: (client, kinds) => client.registerKinds(kinds),
  database: async (queue, { kinds, restore = false }) => {
    const policy = { by: 'cli', changes: 'refuse', restore } as const
    const { InvalidInput } = await import('@queue/core')
    const registrations = await Promise.all(kinds.map(toRegistration))
    const registered = await queue.kinds.register(registrations, policy).catch((error: unknown) => {
      if (!(error instanceof InvalidInput)) throw error
      // Their places are those in the file.
      throw new InvalidInput(
        'invalid_kind',
        error.issues.map((issue) => ({ ...issue, path: ['kinds', ...issue.path] })),
      )
    })
    return registered.map(({ kind, version, outcome, changedPaths }) => {
      if (outcome === 'refused') throw new Error('a refused registration is an error')
      return { kind, version, outcome, changed_paths: [...changedPaths] }
    })
  },
})

const retireOne = eitherWay<string, Promise<void>>({
  api: (client, kind) => client.retireKind(kind),
  database: (queue, kind) => queue.kinds.retire(kind),
})

/** The answer of the API, for the way that does not go through it. */
function kindNotFound(): Failure {
  return new Failure({ error: 'kind_not_found', detail: 'there is no kind with this name' })
}

type Known = Pick<KindInfo, 'kind' | 'version' | 'payloadSchema' | 'defaults' | 'description' | 'sensitive'> &
  Partial<KindInfo>

/** Those of the registry and those that the library has, by name, each with its newest version first. */
async function withBuiltIn(registered: readonly KindInfo[]): Promise<Map<string, Known[]>> {
  const { builtInJobs } = await import('@queue/core')
  const { registrationsOf } = await import('@queue/core/workers')
  const isThere = (one: KindRegistration): boolean =>
    registered.some(({ kind, version }) => kind === one.kind && version === one.version)
  const missing = builtInJobs.flatMap((job) => registrationsOf(job)).filter((one) => !isThere(one))
  const all: Known[] = [...registered, ...missing]
  const sorted = all.toSorted((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : b.version - a.version))
  return Map.groupBy(sorted, ({ kind }) => kind)
}

function sourceOf(known: Known | undefined): 'built_in' | 'registered' {
  return known?.registeredAt === undefined ? 'built_in' : 'registered'
}

function toVersion(known: Known, liveWorkers: number): Version {
  return {
    version: known.version,
    source: sourceOf(known),
    payload_schema: { ...known.payloadSchema },
    defaults: { ...known.defaults } as Version['defaults'],
    description: known.description,
    sensitive: known.sensitive === null ? null : [...known.sensitive],
    live_workers: liveWorkers,
    registered_by: known.registeredBy ?? null,
    ...toWire({
      registeredAt: known.registeredAt ?? null,
      lastSeenAt: known.lastSeenAt ?? null,
      retiredAt: known.retiredAt ?? null,
    }),
  }
}

async function toRegistration(one: RegisterKinds['kinds'][number]): Promise<KindRegistration> {
  const { kindDefaultsSchema } = await import('@queue/core/fields')
  const defaults = kindDefaultsSchema.safeParse(one.defaults ?? {})
  return {
    kind: one.kind,
    version: one.version ?? 1,
    payloadSchema: one.payload_schema as KindRegistration['payloadSchema'],
    // What is wrong with them is for the registration to say.
    defaults: defaults.success ? defaults.data : (one.defaults as KindRegistration['defaults']),
    description: one.description ?? null,
    sensitive: one.sensitive ?? null,
    unsaid: [],
  }
}

const columns: readonly Column<KindSummary>[] = [
  { title: 'kind', of: ({ kind }) => kind },
  { title: 'versions', of: ({ versions }) => versions.join(' ') },
  { title: 'source', of: ({ source }) => source },
  { title: 'retired', of: ({ retired_at: at }) => toSeconds(at) },
  { title: 'description', of: ({ description }) => description, shrinks: true },
]

const versionColumns: readonly Column<Version>[] = [
  { title: 'version', of: ({ version }) => version, align: 'right' },
  { title: 'live workers', of: ({ live_workers: count }) => count, align: 'right' },
  { title: 'source', of: ({ source }) => source },
  { title: 'registered', of: ({ registered_at: at }) => toSeconds(at) },
  { title: 'retired', of: ({ retired_at: at }) => toSeconds(at) },
  { title: 'schema', of: ({ payload_schema: schema }) => JSON.stringify(schema), shrinks: true },
]

const registeredColumns: readonly Column<Registered>[] = [
  { title: 'kind', of: ({ kind }) => kind },
  { title: 'version', of: ({ version }) => version, align: 'right' },
  { title: 'outcome', of: ({ outcome }) => outcome },
  { title: 'changed', of: ({ changed_paths: paths }) => paths.join(' '), shrinks: true },
]

export const listKinds = defineCommand({
  name: 'kinds list',
  summary: 'list the kinds of job, retired ones too',
  arguments: [],
  options: {},
  examples: [{ line: 'queue kinds list', says: 'What jobs can be enqueued' }],
  async run({ door, print }) {
    const data = await listAll(await door(), undefined)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const getKind = defineCommand({
  name: 'kinds get',
  summary: 'show a kind: each version with its schema and its live workers',
  arguments: [{ name: 'KIND' }],
  options: {},
  examples: [{ line: 'queue kinds get send_email --json', says: 'Its schema, for a program' }],
  async run({ words: [kind = ''], door, print }) {
    const found = await readOne(await door(), kind)
    await (print.isJson ? print.json(found) : print.table(found.versions, versionColumns))
  },
})

export const retireKinds = defineCommand({
  name: 'kinds retire',
  summary: 'let no further jobs of these kinds be enqueued over the API; those that are there run on',
  arguments: [{ name: 'KIND', count: 'many' }],
  options: {},
  examples: [{ line: 'queue kinds retire send_invoice', says: 'No schedule enqueues it any more, either' }],
  async run({ words, door, print, signal }) {
    const way = await door()
    for (const kind of words) {
      signal.throwIfAborted()
      await retireOne(way, kind)
      await (print.isJson ? print.json({ retired: kind }) : print.raw(`${kind} is retired\n`))
    }
  },
})

const pushOptions = {
  restore: flag('what was replaced or retired comes back too'),
} as const

export const pushKinds = defineCommand({
  name: 'kinds push',
  summary: 'register the kinds of a file, all or none',
  description:
    'The file is the body of POST /kinds: kinds, each with kind, payload_schema and what else there is to say. Definitions in TypeScript are registered by their workers, or by queue-migrate kinds push.',
  arguments: [{ name: 'FILE' }],
  options: pushOptions,
  examples: [{ line: 'queue kinds push kinds.json', says: 'Kinds of a program in another language' }],
  async run(context) {
    const { words, values, door, print } = context
    const given = await readKinds(context, words[0] ?? '')
    const data = await register(await door(), { ...given, ...(values.restore && { restore: true }) })
    await (print.isJson ? print.json({ data }) : print.table(data, registeredColumns))
  },
})

/** Whatever else is wrong with the document, the queue says. */
async function readKinds(context: Pick<Context<unknown>, 'readInput'>, path: string): Promise<RegisterKinds> {
  const given = await readDocument(context, { path, option: 'the file' })
  const kinds = typeof given === 'object' && given !== null && 'kinds' in given ? given.kinds : undefined
  const isList = Array.isArray(kinds) && kinds.every((one) => typeof one === 'object' && one !== null)
  if (isList) return given as RegisterKinds
  throw usageFailure('the file holds no kinds', 'it has a list of kinds')
}
