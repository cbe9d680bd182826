/** `pnpm build`: compiles every package in the order of their dependencies. Arguments are passed to `turbo run build`. */
import path from 'node:path'
import { publishedPackages } from './packages/published-packages.ts'
import { removeOrphans } from './packages/remove-orphans.ts'
import { startTurbo } from './start-turbo.ts'

const root = path.resolve(import.meta.dirname, '..')

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopped.abort(signal))
}

// The limit in turbo.json is for tests, which share the connections of one server.
const args = ['run', 'build', '--concurrency=100%', ...process.argv.slice(2)]
process.exitCode = await startTurbo(args, process.env, stopped.signal)
// `pnpm publish` sends the built files, so files without a source must not remain.
for (const { folder } of await publishedPackages(root)) await removeOrphans(path.join(root, folder))
