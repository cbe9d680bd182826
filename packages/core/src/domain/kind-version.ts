/** The version of a kind that nothing has been said of. */
export const firstVersion = 1

/** How registries and claims name one version of a kind: `invoice`, and `invoice/2` from the second on. */
export function versionedKind(kind: string, version: number): string {
  return version === firstVersion ? kind : `${kind}/${version}`
}

/** The kind and the version that such a name says. */
export function parseVersionedKind(name: string): { readonly kind: string; readonly version: number } {
  const [kind = '', version] = name.split('/')
  return { kind, version: version === undefined ? firstVersion : Number(version) }
}
