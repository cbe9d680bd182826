import { homedir } from 'node:os'
import path from 'node:path'
import { findBareSuppressions } from './find-bare-suppressions.ts'
import { findBrokenLinks } from './find-broken-links.ts'
import { findMachinePaths } from './find-machine-paths.ts'
import { findManifestFaults } from './find-manifest-faults.ts'
import { findMissingTests } from './find-missing-tests.ts'
import { findUnbuiltPrograms } from './find-unbuilt-programs.ts'
import { findUntestedGuarantees } from './find-untested-guarantees.ts'
import { findUnlinkedScenarios } from './find-unlinked-scenarios.ts'
import { findUpwardImports } from './find-upward-imports.ts'
import { type Faults, readRepository } from './repository-file.ts'

/** Checks the files of the repository: links, manifests, guarantees and more. Resolves with the problems found. */
export async function checkRepository(root: string): Promise<Faults> {
  const files = await readRepository(root)
  return [
    ...findBrokenLinks(files),
    ...findMachinePaths(files, [path.resolve(root), homedir()]),
    ...findBareSuppressions(files),
    ...findManifestFaults(files),
    ...findMissingTests(files),
    ...findUpwardImports(files),
    ...findUnbuiltPrograms(files),
    ...findUntestedGuarantees(files),
    ...findUnlinkedScenarios(files),
  ]
}
