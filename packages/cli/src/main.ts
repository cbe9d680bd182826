#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { type ExitCode, exitCodes, isReaderGone, standardOutput } from '@queue/commands'
import { nodeFault } from './node-version.ts'
import { runCli } from './run-cli.ts'

const { version, engines } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as {
  readonly version: string
  readonly engines: { readonly node: string }
}
const { argv, env, stdin, stderr } = process
const fault = nodeFault(process.versions.node, engines.node)
if (fault !== undefined) {
  stderr.write(`queue: ${fault}\n`)
  process.exit(exitCodes.usage)
}
const stopping = new AbortController()

/** The first signal lets the command stop cleanly; the second one ends it at once. */
function stopWith(code: ExitCode): void {
  if (stopping.signal.aborted) process.exit(code)
  stopping.abort(code)
}

process.on('SIGINT', () => stopWith(exitCodes.interrupted))
process.on('SIGTERM', () => stopWith(exitCodes.terminated))
const stdout = standardOutput()
// A reader that stops early (`| head`) is not a failure. Any other error rejects the write that it belongs to.
stdout.on('error', (error) => isReaderGone(error) && process.exit(exitCodes.ok))
process.stderr.on('error', () => undefined)

const code = await runCli({
  argv: argv.slice(2),
  env,
  stdin,
  stdout,
  stderr,
  version,
  signal: stopping.signal,
})
// The output must reach a pipe before the process ends.
stdout.write('', () => stderr.write('', () => process.exit(code)))
