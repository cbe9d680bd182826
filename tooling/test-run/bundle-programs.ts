import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const root = path.resolve(import.meta.dirname, '..', '..')

/** The main files of programs that tests start many times. */
const programs: readonly string[] = [
  'apps/api/src/main.ts',
  'apps/migrate/src/main.ts',
  'apps/worker/src/main.ts',
  'apps/worker/test/programs/misbehaving-worker.ts',
  'chaos/src/fleet/worker-program.ts',
  'chaos/src/migrations/runner-program.ts',
  'chaos/src/producer/producer-program.ts',
  'packages/service/test/programs/program.ts',
  'packages/worker/test/programs/worker-program.ts',
]

/** The modules of these programs that start a thread, and the thread's main file, which they expect in their own folder. */
const threads: Readonly<Record<string, string>> = {
  'packages/service/src/ops-thread/launch-ops-thread.ts': 'packages/service/src/ops-thread/ops-thread.ts',
  'packages/worker/src/lease-thread/start-lease-thread.ts':
    'packages/worker/src/lease-thread/lease-thread.ts',
}

/** Packages that are not bundled, because they read files of their own folder or are loaded rarely and late. */
const loadedFromTheirPackage =
  /^(?:sharp|swagger-ui-express|@aws-sdk\/client-s3|nodemailer|undici|wink-nlp|wink-eng-lite-web-model)$/

/**
 * Bundles each program from its sources and writes it to `directory`, at its own path with the extension `.js`, with chunks that
 * programs share. Its modules find their data files in the folders of their sources, and threads in the folder of the bundle.
 */
export async function bundlePrograms(directory: string): Promise<void> {
  const mainFiles = [...programs, ...Object.values(threads)]
  const bundle = await rolldown({
    input: Object.fromEntries(mainFiles.map((main) => [main.replace(/\.ts$/, ''), path.join(root, main)])),
    platform: 'node',
    resolve: { conditionNames: ['@queue/source', 'node'] },
    plugins: [keepPackages, keepUrls(directory)],
    logLevel: 'warn',
  })
  try {
    await bundle.write({ dir: directory, entryFileNames: '[name].js', chunkFileNames: '[hash].js' })
  } finally {
    await bundle.close()
  }
  await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }\n')
}

const keepPackages: Plugin = {
  name: 'keep-packages',
  resolveId: {
    filter: { id: loadedFromTheirPackage },
    async handler(id, importer) {
      const resolved = await this.resolve(id, importer, { skipSelf: true })
      return resolved === null ? null : { id: pathToFileURL(resolved.id).href, external: true }
    },
  },
}

/** Replaces `import.meta.url` by the URL of the source. In a bundle it would be that of the bundle. */
function keepUrls(directory: string): Plugin {
  const urlOf = (source: string): string => {
    const name = path.relative(root, source)
    const isOfThread = name.replaceAll(path.sep, '/') in threads
    return pathToFileURL(isOfThread ? path.join(directory, name.replace(/\.ts$/, '.js')) : source).href
  }
  return {
    name: 'keep-urls',
    transform: {
      filter: { id: /\.ts$/, code: 'import.meta.url' },
      handler: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(urlOf(id))),
    },
  }
}
