import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { KindSummary, KindVersions, RegisteredKinds, RegisterKinds } from '@queue/client'
import { type Column, type Failure, flag, type Printer, usageFailure } from '@queue/commands'
import type { KindInfo, KindRegistration } from '@queue/core'
import { type Context, defineCommand } from '../../command.ts'
import { type Backend, backendCall } from '../../backends/backend.ts'
import { inFile } from '../../backends/to-failure.ts'
import { toWire } from '../../backends/wire.ts'
import { failureOf } from '../../failure.ts'
import { eachArgument } from '../each-argument.ts'
import { toSeconds } from '../reads/jobs.ts'
import { readDocument } from '../enqueue/payload.ts'

type Registered = RegisteredKinds['data'][number]
type Version = KindVersions['versions'][number]

const listAll = backendCall<undefined, Promise<KindSummary[]>>({
  api: (client) => client.kinds(),
  database: async (queue) => {
    const versionsByKind = await withBuiltIn(await queue.kinds.list())
    return [...versionsByKind].map(([kind, versions]) => ({
      kind,
      description: versions[0]?.description ?? null,
      versions: versions.map(({ version }) => version),
      source: sourceOf(versions[0]),
      retired_at: versions[0]?.retiredAt?.toISOString() ?? null,
    }))
  },
})

const readOne = backendCall<string, Promise<KindVersions>>({
  api: (client, kind) => client.kind(kind),
  database: async (queue, kind) => {
    const versions = (await withBuiltIn(await queue.kinds.list())).get(kind)
    if (versions === undefined) throw kindNotFound()
    const numbers = versions.map(({ version }) => version)
    const workers = await queue.kinds.countWorkers(kind, numbers)
    return { kind, versions: versions.map((one) => toVersion(one, workers.get(one.version) ?? 0)) }
  },
})

interface Registration {
  /** The body of POST /kinds. */
  readonly document: RegisterKinds
  /** Whether a changed schema replaces the old one although jobs of its version exist. */
  readonly replaces: boolean
}

const register = backendCall<Registration, Promise<Registered[]>>({
  api: (client, { document, replaces }) => {
    if (!replaces) return client.registerKinds(document)
    throw usageFailure('--replace is for the database', 'the API decides by its setting KIND_CHANGES')
  },
  database: async (queue, { document, replaces }) => {
    const { registerDocument } = await import('@queue/admin/payload-schemas')
    const { checkDocument, registerKindsSchema } = await import('@queue/core/internal')
    const read = checkDocument(registerKindsSchema, document, 'invalid_kind')
    const changes = replaces ? 'replace' : 'refuse'
    const policy = { by: 'cli', changes, restore: read.restore ?? false } as const
    const registered = await registerDocument({
      document: read,
      register: (registrations) => queue.kinds.register(registrations, policy),
    })
    return registered.map(({ kind, version, outcome, changedPaths }) => {
      if (outcome === 'refused') throw new Error('a refused registration is an error')
      return { kind, version, outcome, changed_paths: [...changedPaths] }
    })
  },
})

const retireOne = backendCall<string, Promise<void>>({
  api: (client, kind) => client.retireKind(kind),
  database: (queue, kind) => queue.kinds.retire(kind),
})

/** The same failure as that of the API. */
function kindNotFound(): Failure {
  return failureOf({ error: 'kind_not_found', detail: 'there is no kind with this name' })
}

type KindVersion = Pick<
  KindInfo,
  'kind' | 'version' | 'payloadSchema' | 'defaults' | 'description' | 'sensitive'
> &
  Partial<KindInfo>

/** The registered and the built-in kinds by name, each with its newest version first. */
async function withBuiltIn(registered: readonly KindInfo[]): Promise<Map<string, KindVersion[]>> {
  const { builtInJobs } = await import('@queue/core')
  const { registrationsOf } = await import('@queue/core/internal')
  const isRegistered = (one: KindRegistration): boolean =>
    registered.some(({ kind, version }) => kind === one.kind && version === one.version)
  const missing = builtInJobs.flatMap((job) => registrationsOf(job)).filter((one) => !isRegistered(one))
  const all: KindVersion[] = [...registered, ...missing]
  const sorted = all.toSorted((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : b.version - a.version))
  return Map.groupBy(sorted, ({ kind }) => kind)
}

function sourceOf(version: KindVersion | undefined): 'built_in' | 'registered' {
  return version?.registeredAt === undefined ? 'built_in' : 'registered'
}

function toVersion(version: KindVersion, liveWorkers: number): Version {
  return {
    version: version.version,
    source: sourceOf(version),
    payload_schema: { ...version.payloadSchema },
    defaults: { ...version.defaults } as Version['defaults'],
    description: version.description,
    sensitive: version.sensitive === null ? null : [...version.sensitive],
    live_workers: liveWorkers,
    registered_by: version.registeredBy ?? null,
    ...toWire({
      registeredAt: version.registeredAt ?? null,
      lastSeenAt: version.lastSeenAt ?? null,
      retiredAt: version.retiredAt ?? null,
    }),
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
  summary: 'list job kinds, including retired ones',
  arguments: [],
  options: {},
  examples: [{ line: 'queue kinds list', description: 'All job kinds' }],
  async run({ connect, print }) {
    const data = await listAll(await connect(), undefined)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const getKind = defineCommand({
  name: 'kinds get',
  summary: 'show a job kind: its versions with schema and live workers',
  arguments: [{ name: 'KIND' }],
  options: {},
  examples: [{ line: 'queue kinds get send_email --json', description: 'The schema of a kind as JSON' }],
  async run({ args: [kind = ''], connect, print }) {
    const found = await readOne(await connect(), kind)
    await (print.isJson ? print.json(found) : print.table(found.versions, versionColumns))
  },
})

export const retireKinds = defineCommand({
  name: 'kinds retire',
  summary: 'retire kinds: the API accepts no new jobs of them, and existing jobs still run',
  arguments: [{ name: 'KIND', count: 'many' }],
  options: {},
  examples: [
    { line: 'queue kinds retire send_invoice', description: 'Retire a kind, also for its schedules' },
  ],
  run: (context) =>
    eachArgument(context, async (backend, kind) => {
      const { print } = context
      await retireOne(backend, kind)
      await (print.isJson ? print.json({ retired: kind }) : print.raw(`${kind} is retired\n`))
    }),
})

export const pushKinds = defineCommand({
  name: 'kinds push',
  summary: 'register the kinds of a file or of a module, all or none',
  description:
    'SOURCE is a JSON file (or - for standard input) with the body of POST /kinds: a list `kinds`, each with kind, ' +
    'payload_schema and optional members. Or it is a module that exports definitions made by defineJob: a file such ' +
    'as ./kinds.ts, or a package. Workers register their kinds themselves when they start.',
  arguments: [{ name: 'SOURCE' }],
  options: {
    restore: flag('also restore schemas that were replaced and kinds that were retired'),
    replace: flag('in the database: replace a changed schema even if jobs of its version exist'),
  },
  examples: [
    {
      line: 'queue kinds push kinds.json',
      description: 'Register the kinds of a program in another language',
    },
    {
      line: 'queue kinds push ./kinds.js',
      description: 'Register TypeScript definitions before a deployment',
    },
  ],
  async run(context) {
    const {
      args: [source = ''],
      values,
      connect,
      print,
    } = context
    const backend = await connect()
    const request = isModule(source)
      ? await definedKinds(backend, source, print)
      : await readKinds(context, source)
    const document = values.restore === true ? { ...request, restore: true } : request
    const data = await inFile(register(backend, { document, replaces: values.replace === true }))
    await (print.isJson ? print.json({ data }) : print.table(data, registeredColumns))
  },
})

/** Whether the source is a module: a file of code, or the name of a package. */
function isModule(source: string): boolean {
  if (source === '-' || source.endsWith('.json')) return false
  return /\.[cm]?[jt]s$/.test(source) || !(existsSync(source) || source.startsWith('.') || isAbsolute(source))
}

/** The kinds of a module's definitions. An older version that the registry has is left out: it may have been declared with more. */
async function definedKinds(backend: Backend, source: string, print: Printer): Promise<RegisterKinds> {
  const { loadDefinitions } = await import('@queue/admin')
  const { registrationsOf } = await import('@queue/core/internal')
  const definitions = await loadDefinitions(existsSync(source) ? resolve(source) : source)
  const registered = await listAll(backend, undefined)
  const isKept = ({ kind, version, isOlder }: KindRegistration): boolean =>
    isOlder === true && registered.some((one) => one.kind === kind && one.versions.includes(version))
  const registrations = definitions.flatMap((one) => registrationsOf(one)).filter((one) => !isKept(one))
  for (const { kind, version, unsaid } of registrations.filter((one) => one.unsaid.length > 0)) {
    const paths = unsaid.map((path) => (path === '' ? '(root)' : path)).join(', ')
    print.note(
      `${kind} version ${version}: JSON Schema cannot express the checks at ${paths}: only handlers apply them`,
    )
  }
  return { kinds: registrations.map(toRequest) }
}

function toRequest(one: KindRegistration): RegisterKinds['kinds'][number] {
  const { kind, version, payloadSchema, defaults, description, sensitive } = one
  return {
    kind,
    version,
    payload_schema: { ...payloadSchema },
    defaults: defaults as NonNullable<RegisterKinds['kinds'][number]['defaults']>,
    ...(description !== null && { description }),
    ...(sensitive !== null && { sensitive: [...sensitive] }),
  }
}

/** Reads the file. The queue validates the rest of the document. */
async function readKinds(context: Pick<Context<unknown>, 'readInput'>, path: string): Promise<RegisterKinds> {
  const document = await readDocument(context, { path, option: 'the file' })
  const kinds =
    typeof document === 'object' && document !== null && 'kinds' in document ? document.kinds : undefined
  const isList = Array.isArray(kinds) && kinds.every((one) => typeof one === 'object' && one !== null)
  if (isList) return document as RegisterKinds
  throw usageFailure('the file has no kinds', 'it must be a JSON object with a list `kinds`')
}
