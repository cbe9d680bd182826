import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { BuiltImage } from './build-image.ts'

/** A process that was started from an image. */
export interface Container {
  /** What it has printed so far, on both streams. */
  output(): string
  signal(name: NodeJS.Signals): void
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>
}

export interface StartOptions {
  /** The whole environment beside what the image sets. */
  readonly env: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** In place of the image's entry point. */
  readonly command?: readonly string[]
}

/**
 * Starts an image's process with the image's folder, environment, and user. Only root can become another user;
 * anybody else starts it as themselves.
 */
export function startContainer(image: BuiltImage, options: StartOptions): Container {
  const [program = '', ...rest] = options.command ?? image.entrypoint ?? []
  const child = spawn(path.join(image.env['PATH'] ?? '', program), [...rest, ...(options.args ?? [])], {
    cwd: path.join(image.root, image.workdir),
    env: { ...image.env, HOME: '/', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process that hangs fails its test, and does not outlive it.
    timeout: 60_000,
    killSignal: 'SIGKILL',
    ...identityOf(image),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return {
    output: () => output,
    signal: (name) => void child.kill(name),
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
}

/** Runs a command of an image to its end. */
export async function runContainer(
  image: BuiltImage,
  options: StartOptions,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const container = startContainer(image, options)
  return { code: await container.ended, output: container.output() }
}

function identityOf({ user }: BuiltImage): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid = Number.NaN, gid = Number.NaN] = (user ?? '').split(':').map(Number)
  return { uid, gid }
}
