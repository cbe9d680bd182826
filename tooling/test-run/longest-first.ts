/**
 * The folders of the packages whose tests take longest. The test files of a package run one after the other, so a long package
 * that starts last would leave a core idle. An outdated order only costs time.
 */
export const longestFolders: readonly string[] = [
  'chaos',
  'apps/api',
  'packages/core',
  'packages/worker',
  'apps/worker',
  'apps/migrate',
  'tooling',
  'infra',
]

/** Sorts the packages into the order in which their tests should start. */
export function longestFirst<Package extends { readonly directory: string }>(
  packages: readonly Package[],
): Package[] {
  const rank = ({ directory }: Package): number =>
    longestFolders.includes(directory) ? longestFolders.indexOf(directory) : longestFolders.length
  return packages.toSorted((a, b) => rank(a) - rank(b))
}
