/** `pnpm build`: every package compiled, in the order of their dependencies. Arguments go to `turbo run build`. */
import { startTurbo } from './start-turbo.ts'

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopped.abort(signal))
}

process.exitCode = await startTurbo(['run', 'build', ...process.argv.slice(2)], process.env, stopped.signal)
