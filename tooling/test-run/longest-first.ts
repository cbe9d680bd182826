/**
 * The packages whose tests take longest, by folder: those of a package run one file after the other, so a long one that
 * started last would leave a core idle. An order that is out of date costs time, and nothing else.
 */
export const longest: readonly string[] = [
  'chaos',
  'apps/api',
  'packages/core',
  'packages/worker',
  'apps/worker',
  'apps/migrate',
  'tooling',
  'infra',
]

/** The packages in the order in which their tests are to start. */
export function longestFirst<Package extends { readonly directory: string }>(
  packages: readonly Package[],
): Package[] {
  const rank = ({ directory }: Package): number =>
    longest.includes(directory) ? longest.indexOf(directory) : longest.length
  return packages.toSorted((a, b) => rank(a) - rank(b))
}
