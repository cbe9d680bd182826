/** Bundles the programs that tests start many times, for a `turbo run test`. */
import { bundledPrograms } from './bundled-programs.ts'
import { bundlePrograms } from './bundle-programs.ts'

await bundlePrograms(bundledPrograms)
