import { cpus, release, totalmem, type } from 'node:os'

/** The machine that figures were measured on, in one line. */
export function describeMachine(serverVersion: string): string {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? 'unknown processor'
  const memoryGib = Math.round(totalmem() / 2 ** 30)
  return [
    `${processors.length} × ${model}`,
    `${memoryGib} GiB`,
    `${type()} ${release()}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${serverVersion} with fsync and synchronous_commit on, on the same machine`,
  ].join(', ')
}
