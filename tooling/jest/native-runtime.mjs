import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import JestRuntime from 'jest-runtime'

const require = createRequire(import.meta.url)
const globalsUrl = new URL('native-globals.mjs', import.meta.url).href

// Packages of the repository resolve to their TypeScript sources, and `@jest/globals` to the globals of the current test file.
registerHooks({
  resolve: (specifier, context, nextResolve) => {
    if (specifier === '@jest/globals') return { url: globalsUrl, shortCircuit: true }
    return nextResolve(specifier, {
      ...context,
      conditions: ['@queue/source', ...(context.conditions ?? [])],
    })
  },
})

let importCount = 0

/**
 * Runs test files as Node runs any module, without a separate context. So the files of a package load the tested modules only
 * once, and classes such as Error and Array are the same everywhere. Global changes by one file affect the next one.
 */
class NativeRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true
  }

  async unstable_importModule(file) {
    globalThis[Symbol.for('queue.jest-globals')] = this.jestGlobals.cjsGlobals(file)
    importCount += 1
    return import(`${pathToFileURL(file).href}?file=${importCount}`)
  }

  /** The test framework stores the tests of a file in its modules, so they are loaded again for each file. */
  requireInternalModule(modulePath) {
    for (const loaded of Object.keys(require.cache)) {
      if (/[\\/]jest-circus[\\/]/.test(loaded)) delete require.cache[loaded]
    }
    return require(modulePath)
  }
}

export { NativeRuntime as 'module.exports' }
