/** The version of a kind whose definition names none. */
export const firstVersion = 1

/** The name of one version of a kind in registries and claims: `invoice` for the first, `invoice/2` for the second. */
export function versionedKind(kind: string, version: number): string {
  return version === firstVersion ? kind : `${kind}/${version}`
}

/** The kind and the version that a name such as `invoice/2` stands for. */
export function parseVersionedKind(name: string): { readonly kind: string; readonly version: number } {
  const [kind = '', version] = name.split('/')
  return { kind, version: version === undefined ? firstVersion : Number(version) }
}
