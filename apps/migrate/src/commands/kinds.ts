import { createQueue, type KindInfo, type Queue, type RegisteredKind } from '@queue/core'
import { loadDefinitions } from '@queue/service'
import type { KindsTask } from '../parse-kinds-arguments.ts'
import type { CommandContext } from './command-context.ts'

export interface KindsOptions {
  readonly connectionString: string
  readonly schema: string
  /** What happens if the schema of a kind has changed without a new version. */
  readonly changes: 'replace' | 'refuse'
}

/** Lists, registers or retires kinds of job. */
export async function kinds(
  { format, retry, print }: CommandContext,
  { task, target }: { readonly task: KindsTask; readonly target: KindsOptions },
): Promise<void> {
  const { changes, ...connection } = target
  const printResult = (text: string, json: object): void =>
    print(format === 'json' ? JSON.stringify(json) : text)
  const withQueue = async <Result>(body: (queue: Queue) => Promise<Result>): Promise<Result> => {
    const queue = createQueue({ ...connection, poolMax: 1 })
    try {
      return await retry(() => body(queue))
    } finally {
      await queue.close()
    }
  }
  switch (task.act) {
    case 'list': {
      const all = await withQueue((queue) => queue.kinds.list())
      return printResult(all.map(lineOf).join('\n') || 'no kind is registered', { kinds: all.map(toJson) })
    }
    case 'push': {
      const definitions = await loadDefinitions('kinds push', task.module)
      const { restore } = task
      const registered = await withQueue((queue) =>
        queue.register(definitions, { by: 'migrate', changes, restore }),
      )
      return printResult(registered.map(registeredLine).join('\n'), { kinds: registered.map(registeredJson) })
    }
    case 'retire':
      await withQueue((queue) => queue.kinds.retire(task.kind))
      return printResult(`kind ${task.kind} is retired: no further jobs of this kind are accepted`, {
        retired: task.kind,
      })
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
      ? [`JSON Schema cannot express the checks at ${paths(unsaid)}: only handlers apply them`]
      : []),
  ].join('  ')
}

function registeredJson({ kind, version, outcome, changedPaths, unsaid }: RegisteredKind): object {
  return { kind, version, outcome, changed_paths: changedPaths, unsaid }
}
