import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { WorkerOptions } from 'node:worker_threads'

/**
 * The file of a thread: `name`, beside the code that starts the thread and with the same extension. That code is a source, a
 * compiled file or a bundle. Undefined if there is no such file, as in a bundle of webpack, which names the files of threads itself.
 */
export function threadFile(name: string, moduleUrl: string | undefined): URL | undefined {
  const code = typeof __filename === 'string' ? pathToFileURL(__filename) : new URL(moduleUrl ?? '')
  const file = new URL(name + path.extname(code.pathname), code)
  return existsSync(file) ? file : undefined
}

/** A thread of ours has little to do; without a bound it may use as much memory as a whole process. */
const heapLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 }

/**
 * The settings of a thread whose code is in `file`. What the process preloads, by its arguments or NODE_OPTIONS, is not loaded
 * again in the thread: a port that it opens is taken there, and its memory may be more than the thread has.
 */
export function threadSettings(file: URL | undefined): WorkerOptions {
  const { NODE_OPTIONS: _preloads, ...env } = process.env
  const isSource = file?.pathname.endsWith('.ts') ?? false
  return {
    env,
    execArgv: isSource ? ['--disable-warning=ExperimentalWarning'] : [],
    resourceLimits: heapLimits,
  }
}

/** The last one is that of a bundle of CommonJS, which has no URL of its own. */
const missingCodes = new Set<unknown>(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_INVALID_URL'])

/** Adds to the error of a thread whose file does not exist what a bundle must contain. Other errors stay as they are. */
export function explainMissingThread(error: unknown, entry: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (!missingCodes.has(code)) return error
  const message = `the file of a thread is missing: put a bundle of ${entry} beside this one (docs/bundling.md)`
  return new Error(message, { cause: error })
}
