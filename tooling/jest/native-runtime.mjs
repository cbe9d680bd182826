import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import JestRuntime from 'jest-runtime'

const require = createRequire(import.meta.url)
const globalsUrl = new URL('native-globals.mjs', import.meta.url).href

// Our packages are their TypeScript sources, and what a test imports of jest is that of the file that runs.
registerHooks({
  resolve: (specifier, context, nextResolve) => {
    if (specifier === '@jest/globals') return { url: globalsUrl, shortCircuit: true }
    return nextResolve(specifier, {
      ...context,
      conditions: ['@queue/source', ...(context.conditions ?? [])],
    })
  },
})

let files = 0

/**
 * Runs test files as Node runs any module, and not in a context of their own: the files of a package load what they test once
 * and not each anew, and errors, dates and arrays are of one kind everywhere. What a file changes outside of itself, the
 * next one meets.
 */
class NativeRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true
  }

  async unstable_importModule(file) {
    globalThis[Symbol.for('queue.jest-globals')] = this.jestGlobals.cjsGlobals(file)
    files += 1
    return import(`${pathToFileURL(file).href}?file=${files}`)
  }

  /** The framework keeps the tests that it has found in itself, so each file has a new one. */
  requireInternalModule(from) {
    for (const loaded of Object.keys(require.cache)) {
      if (/[\\/]jest-circus[\\/]/.test(loaded)) delete require.cache[loaded]
    }
    return require(from)
  }
}

export { NativeRuntime as 'module.exports' }
