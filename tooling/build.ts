/** `pnpm build`: every package compiled, in the order of their dependencies. Arguments go to `turbo run build`. */
import path from 'node:path'
import { publishedPackages } from './packages/published-packages.ts'
import { removeOrphans } from './packages/remove-orphans.ts'
import { startTurbo } from './start-turbo.ts'

const root = path.resolve(import.meta.dirname, '..')

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopped.abort(signal))
}

process.exitCode = await startTurbo(['run', 'build', ...process.argv.slice(2)], process.env, stopped.signal)
// What is built is what `pnpm publish` sends.
for (const { folder } of await publishedPackages(root)) await removeOrphans(path.join(root, folder))
