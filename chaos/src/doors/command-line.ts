// The options of a document on the command line, where durations have units and a part of a unique key is an option of its own.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { snakeMembers } from './expected-job.ts'
import type { Document } from './drawn-document.ts'
import type { Options } from './option-model.ts'
import { hasWrongMembers, type Spelling, writtenName } from './spelling.ts'

/** As it is installed: it starts in less time than from its sources. */
const program = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url))

const flags: Readonly<Record<string, string>> = {
  queue: 'queue',
  priority: 'priority',
  maxAttempts: 'max-attempts',
  timeoutMs: 'timeout',
  weight: 'weight',
  delayMs: 'delay',
  runAt: 'run-at',
  expiresInMs: 'expires-in',
  idempotencyKey: 'idempotency-key',
  tenantId: 'tenant',
  key: 'key',
  metadata: 'metadata',
  retryPolicy: 'retry-policy',
  unique: 'unique-key',
}

const uniqueFlags: Readonly<Record<string, string>> = {
  scope: 'unique-scope',
  windowMs: 'unique-window',
  maxWaitMs: 'unique-max-wait',
  onConflict: 'on-conflict',
}

export const commandSpelling: Spelling = {
  name: (option) => flags[option] ?? option,
  otherName: (option) => (flags[option] ?? option).replaceAll('-', '_'),
  // The members of a retry policy are JSON here too, so an error has their place in it.
  partNames: { unique: ['--unique', '--on-conflict'], retryPolicy: ['/retry_policy'] },
}

/** The arguments that enqueue a job of the built-in kind. */
export function commandOf(document: Document, kind: string): string[] {
  const given = Object.entries(document.options).flatMap(([option, value]) =>
    option === 'unique'
      ? uniqueArguments(document, value as Options)
      : [`--${writtenName(document, option, commandSpelling)}=${textOf(document, option, value)}`],
  )
  return ['enqueue', kind, '--payload', JSON.stringify({ text: document.call }), '--json', ...given]
}

function uniqueArguments(document: Document, { key, ...parts }: Options): string[] {
  const isWrong = hasWrongMembers(document, 'unique')
  const others = Object.entries(parts).map(([part, value]) => {
    const flag = uniqueFlags[part] ?? `unique-${part}`
    return `--${isWrong ? flag.replaceAll('-', '_') : flag}=${textOf(document, part, value)}`
  })
  return [`--${writtenName(document, 'unique', commandSpelling)}=${String(key)}`, ...others]
}

function textOf(document: Document, option: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (option === 'retryPolicy')
    return JSON.stringify(hasWrongMembers(document, option) ? value : snakeMembers(value as object))
  if (option.endsWith('Ms')) return durationOf(Number(value))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function durationOf(ms: number): string {
  const dayMs = 86_400_000
  return ms >= dayMs && ms % dayMs === 0 ? `${ms / dayMs}d` : `${ms}ms`
}

/** What a command has printed, and its exit code. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line to its end. The environment says where the queue is. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const options = { env: { PATH: process.env['PATH'], ...env } }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}
