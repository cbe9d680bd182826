import path from 'node:path'

/** The folder of the programs that `turbo run test` bundles before its tests. */
export const bundledPrograms: string = path.resolve(import.meta.dirname, '..', 'dist', 'programs')
