import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A commit of this repository. */
export interface Commit {
  /** In full. */
  readonly hash: string
  readonly subject: string
}

/** The commit that `name` (a hash, a branch, a tag) stands for in the repository at `root`. Throws when there is none. */
export async function resolveCommit(root: string, name: string): Promise<Commit> {
  const format = ['log', '-1', '--format=%H%n%s', '--end-of-options', `${name}^{commit}`, '--']
  const { stdout } = await run('git', format, { cwd: root }).catch((error: unknown) => {
    throw new Error(
      `there is no commit ${JSON.stringify(name)} here: give a hash, a branch or a tag. ` +
        'A shallow clone has its older ones after "git fetch --unshallow".',
      { cause: error },
    )
  })
  const [hash = '', subject = ''] = stdout.split('\n')
  return { hash, subject }
}

/**
 * Where a commit has what knows its API: a file that exports `ours`, a `Contender`. The first is where it is now; where
 * it was before comes behind.
 */
export const adapterPaths = ['bench/src/contenders/ours.ts'] as const

/** The path of the adapter in `commit`. Throws when it has none. */
export async function findAdapter(root: string, { hash }: Commit): Promise<string> {
  for (const adapterPath of adapterPaths) {
    const object = `${hash}:${adapterPath}`
    const found = await run('git', ['cat-file', '-e', object], { cwd: root }).then(
      () => true,
      () => false,
    )
    if (found) return adapterPath
  }
  throw new Error(`${hash.slice(0, 7)} has no ${adapterPaths.join(' or ')}: it is older than the benchmark`)
}

/** Whether the work tree at `root` differs from its commit. */
export async function isChanged(root: string): Promise<boolean> {
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: root })
  return stdout !== ''
}

/** A commit, installed and built in a folder of its own. */
export interface Checkout {
  readonly directory: string
  /** Removes the folder, and what git knows of it. */
  remove(): Promise<void>
}

export interface CheckoutOptions {
  /** A work tree of the repository. */
  readonly root: string
  readonly commit: Commit
  /** The folder for its own; the system's temporary one by default. */
  readonly within?: string
  readonly onStep: (step: string) => void
  readonly signal?: AbortSignal
}

/**
 * Checks `commit` out in a temporary folder, installs what its lockfile names (from pnpm's store where that has it) and
 * builds it. When that fails or is aborted, nothing of it stays.
 */
export async function checkOut(options: CheckoutOptions): Promise<Checkout> {
  const { root, commit, within = tmpdir(), onStep, signal } = options
  const parent = await mkdtemp(path.join(within, 'queue-compare-'))
  const directory = path.join(parent, 'tree')
  const checkout = {
    directory,
    remove: async () => {
      // A process that was told to end may still be writing.
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

/** The pnpm that runs this, else the one that npx has. */
function pnpm(): readonly string[] {
  const given = process.env['npm_execpath'] ?? ''
  if (!path.basename(given).startsWith('pnpm')) return ['npx', '-y', 'pnpm@12']
  return /\.[cm]?js$/.test(given) ? [process.execPath, given] : [given]
}

const linesOfFailure = 20

/** Runs a command in a process group of its own, so that an abort ends what it has started too. */
async function runStep(
  [command = '', ...args]: readonly string[],
  { cwd, signal }: { readonly cwd: string; readonly signal?: AbortSignal },
): Promise<void> {
  signal?.throwIfAborted()
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => output.push(part))
  const end = (): void => endGroup(child.pid)
  signal?.addEventListener('abort', end)
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
    signal?.removeEventListener('abort', end)
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid)
  } catch {
    // It has ended by itself meanwhile.
  }
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-linesOfFailure).join('\n')
}
