import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A commit of this repository. */
export interface Commit {
  /** The full hash. */
  readonly hash: string
  readonly subject: string
}

/** Returns the commit of `name` (a hash, a branch or a tag) in the repository at `root`. Throws if there is none. */
export async function resolveCommit(root: string, name: string): Promise<Commit> {
  const format = ['log', '-1', '--format=%H%n%s', '--end-of-options', `${name}^{commit}`, '--']
  const { stdout } = await run('git', format, { cwd: root }).catch((error: unknown) => {
    throw new Error(
      `this repository has no commit ${JSON.stringify(name)}: pass a hash, a branch or a tag. ` +
        'A shallow clone gets older commits with "git fetch --unshallow".',
      { cause: error },
    )
  })
  const [hash = '', subject = ''] = stdout.split('\n')
  return { hash, subject }
}

/**
 * The paths where a commit may have its adapter: the file that exports `ours`, a `Contender`, and uses the API of that
 * commit. The first is the present path, the others are earlier ones.
 */
export const adapterPaths = ['bench/src/contenders/ours.ts'] as const

/** Returns the path of the adapter in `commit`. Throws if it has none. */
export async function findAdapter(root: string, { hash }: Commit): Promise<string> {
  for (const adapterPath of adapterPaths) {
    const object = `${hash}:${adapterPath}`
    const exists = await run('git', ['cat-file', '-e', object], { cwd: root }).then(
      () => true,
      () => false,
    )
    if (exists) return adapterPath
  }
  throw new Error(`${hash.slice(0, 7)} has no ${adapterPaths.join(' or ')}: it is older than the benchmark`)
}

/** Whether the work tree at `root` has uncommitted changes. */
export async function isChanged(root: string): Promise<boolean> {
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: root })
  return stdout !== ''
}

/** A commit that is installed and built in its own folder. */
export interface Checkout {
  readonly directory: string
  /** Removes the folder and git's record of it. */
  remove(): Promise<void>
}

export interface CheckoutOptions {
  /** A work tree of the repository. */
  readonly root: string
  readonly commit: Commit
  /** The folder in which the checkout's folder is created; by default the system's temporary folder. */
  readonly within?: string
  readonly onStep: (step: string) => void
  readonly signal?: AbortSignal
}

/**
 * Checks out `commit` in a temporary folder, installs its dependencies by its lockfile (from pnpm's store if possible) and
 * builds it. If that fails or is aborted, the folder is removed.
 */
export async function checkOut(options: CheckoutOptions): Promise<Checkout> {
  const { root, commit, within = tmpdir(), onStep, signal } = options
  const parent = await mkdtemp(path.join(within, 'queue-compare-'))
  const directory = path.join(parent, 'tree')
  const checkout = {
    directory,
    remove: async () => {
      // A process that was killed may still be writing.
      await rm(parent, { recursive: true, force: true, maxRetries: 10 })
      await run('git', ['worktree', 'prune'], { cwd: root })
    },
  }
  const steps = {
    'checking out': [['git', 'worktree', 'add', '--quiet', '--detach', directory, commit.hash], root],
    installing: [[...pnpm(), 'install', '--frozen-lockfile', '--prefer-offline'], directory],
    building: [[...pnpm(), 'run', 'build'], directory],
  } as const satisfies Record<string, readonly [readonly string[], string]>
  try {
    for (const [step, [command, cwd]] of Object.entries(steps)) {
      onStep(`${step} ${commit.hash.slice(0, 7)}`)
      await runStep(command, { cwd, ...(signal === undefined ? {} : { signal }) })
    }
    return checkout
  } catch (error) {
    await checkout.remove()
    throw error
  }
}

/** The command of the pnpm that runs this program; npx with a fixed version if it was started without pnpm. */
function pnpm(): readonly string[] {
  const executable = process.env['npm_execpath'] ?? ''
  if (!path.basename(executable).startsWith('pnpm')) return ['npx', '-y', 'pnpm@12']
  return /\.[cm]?js$/.test(executable) ? [process.execPath, executable] : [executable]
}

/** The number of output lines that the error of a failed command contains. */
const errorLinesMax = 20

/** Runs a command in its own process group, so that an abort also ends its child processes. */
async function runStep(
  [command = '', ...args]: readonly string[],
  { cwd, signal }: { readonly cwd: string; readonly signal?: AbortSignal },
): Promise<void> {
  signal?.throwIfAborted()
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => output.push(part))
  const killAll = (): void => killGroup(child.pid)
  signal?.addEventListener('abort', killAll)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    signal?.throwIfAborted()
    if (code !== 0) throw new Error(lastLines(Buffer.concat(output).toString()))
  } catch (error) {
    signal?.throwIfAborted()
    const name = [path.basename(command), ...args].join(' ')
    throw new Error(`${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  } finally {
    signal?.removeEventListener('abort', killAll)
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid)
  } catch {
    // The group has already ended.
  }
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-errorLinesMax).join('\n')
}
