import { createQueue, type KindInfo, type Queue, type RegisteredKind } from '@queue/core'
import { loadDefinitions } from '@queue/service'
import type { KindsTask } from '../parse-kinds-arguments.ts'
import type { CommandContext } from './command-context.ts'

export interface KindsOptions {
  readonly connectionString: string
  readonly schema: string
  /** What becomes of a kind whose schema has changed under one version. */
  readonly changes: 'replace' | 'refuse'
}

/** Lists, registers or retires kinds of job. */
export async function kinds(
  { format, ask, print }: CommandContext,
  { task, target }: { readonly task: KindsTask; readonly target: KindsOptions },
): Promise<void> {
  const { changes, ...connection } = target
  const say = (text: string, json: object): void => print(format === 'json' ? JSON.stringify(json) : text)
  const onQueue = async <Result>(act: (queue: Queue) => Promise<Result>): Promise<Result> => {
    const queue = createQueue({ ...connection, poolMax: 1 })
    try {
      return await ask(() => act(queue))
    } finally {
      await queue.close()
    }
  }
  switch (task.act) {
    case 'list': {
      const all = await onQueue((queue) => queue.kinds.list())
      return say(all.map(lineOf).join('\n') || 'no kind is registered', { kinds: all.map(toJson) })
    }
    case 'push': {
      const definitions = await loadDefinitions('kinds push', task.module)
      const { restore } = task
      const done = await onQueue((queue) => queue.register(definitions, { by: 'migrate', changes, restore }))
      return say(done.map(registeredLine).join('\n'), { kinds: done.map(registeredJson) })
    }
    case 'retire':
      await onQueue((queue) => queue.kinds.retire(task.kind))
      return say(`kind ${task.kind} is retired: no further jobs of it are taken`, { retired: task.kind })
  }
}

function lineOf({ kind, version, registeredBy, lastSeenAt, retiredAt }: KindInfo): string {
  const state =
    retiredAt === null ? `last seen ${lastSeenAt.toISOString()}` : `retired ${retiredAt.toISOString()}`
  return [kind, `version ${version}`, `by ${registeredBy}`, state].join('  ')
}

function toJson(info: KindInfo): object {
  return {
    kind: info.kind,
    version: info.version,
    payload_schema: info.payloadSchema,
    defaults: info.defaults,
    description: info.description,
    sensitive: info.sensitive,
    registered_by: info.registeredBy,
    registered_at: info.registeredAt.toISOString(),
    last_seen_at: info.lastSeenAt.toISOString(),
    retired_at: info.retiredAt?.toISOString() ?? null,
  }
}

function registeredLine({ kind, version, outcome, changedPaths, unsaid }: RegisteredKind): string {
  const paths = (all: readonly string[]): string =>
    all.map((path) => (path === '' ? '(root)' : path)).join(', ')
  return [
    `${kind}  version ${version}  ${outcome}`,
    ...(changedPaths.length > 0 ? [`the schemas differ at ${paths(changedPaths)}`] : []),
    ...(unsaid.length > 0
      ? [`JSON Schema cannot say what is asked at ${paths(unsaid)}: handlers check it alone`]
      : []),
  ].join('  ')
}

function registeredJson({ kind, version, outcome, changedPaths, unsaid }: RegisteredKind): object {
  return { kind, version, outcome, changed_paths: changedPaths, unsaid }
}
