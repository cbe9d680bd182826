import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/** The kernel counts a hundred clock ticks per second in /proc, whatever its own timer is. */
const tickUs = 10_000

/** What /proc/<pid>/stat says of a process. */
interface ProcessStat {
  readonly parent: number
  /** Its own processor time. */
  readonly ownUs: number
  /** The processor time of its children that have ended. */
  readonly endedChildrenUs: number
}

/**
 * The processor time that the processes of a server have used so far, in microseconds: of the living ones, and of those that
 * have ended. Zero if the server runs on another machine, or on a system without /proc.
 */
export async function serverProcessorUs(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const processes = await readProcesses()
  const postmaster = processes.get(rows[0]?.pid ?? 0)?.parent
  const living = [...processes.values()].filter(({ parent }) => parent === postmaster)
  const ended = processes.get(postmaster ?? 0)?.endedChildrenUs ?? 0
  return living.reduce((sum, { ownUs }) => sum + ownUs, ended)
}

async function readProcesses(): Promise<Map<number, ProcessStat>> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter(Number.isInteger)
  const stats = await Promise.all(pids.map(async (pid) => [pid, await readStat(pid)] as const))
  return new Map(stats.filter((entry): entry is [number, ProcessStat] => entry[1] !== undefined))
}

/** Undefined for a process that has ended meanwhile. */
async function readStat(pid: number): Promise<ProcessStat | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name of the process is in parentheses, and may contain spaces. What follows it begins with the third field.
  const field = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const us = (number: number): number => Number(field[number - 3]) * tickUs
  return { parent: Number(field[1]), ownUs: us(14) + us(15), endedChildrenUs: us(16) + us(17) }
}
