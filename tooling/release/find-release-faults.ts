import path from 'node:path'
import { getReleasePlan } from '@changesets/get-release-plan'
import type { Faults } from '../repository/repository-file.ts'
import { readReleaseSettings } from './release-settings.ts'
import { findOtherVersions, readVersion } from './versions.ts'

/** Finds what would stop a release: faults of `release.json`, of the changesets and their configuration, and of versions. */
export async function findReleaseFaults(root: string): Promise<Faults> {
  return [
    ...(await failureOf(readReleaseSettings(root))),
    // It reads the configuration and every changeset. A name of no package is an error in both.
    ...(await failureOf(getReleasePlan(root))).map(
      (fault) => `${path.join('.changeset', 'config.json')}: ${fault}`,
    ),
    ...(await findOtherVersions(root, await readVersion(root))),
  ]
}

async function failureOf(work: Promise<unknown>): Promise<string[]> {
  return work.then(
    () => [],
    (error: unknown) => [String(error)],
  )
}
