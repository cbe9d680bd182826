// What a release does: commands as data, so that a dry run shows exactly those that a release runs.
import type { PackedPackage } from '../packages/pack-packages.ts'

/** A program and its arguments. */
export type Command = readonly [string, ...string[]]

/** The processes that are released as images: the targets of the Dockerfile. */
export const imageTargets = ['api', 'worker', 'migrate'] as const

/** The packages in an order in which each comes behind those that it needs. */
export function inOrderOfNeed(packages: readonly PackedPackage[]): PackedPackage[] {
  const byName = new Map(packages.map((packed) => [packed.ownName, packed]))
  const ordered = new Set<PackedPackage>()
  const add = (packed: PackedPackage): void => {
    for (const name of Object.keys(packed.dependencies)) {
      const needed = byName.get(name)
      if (needed !== undefined) add(needed)
    }
    ordered.add(packed)
  }
  for (const packed of packages) add(packed)
  return [...ordered]
}

/** Publishes a package with the statement of who has built it, from which commit. */
export const publishCommand = (tarball: string): Command => ['npm', 'publish', tarball, '--provenance']

/** Signs a file with the identity of the workflow. The signature lies beside the file. */
export const signFileCommand = (file: string): Command => [
  'cosign',
  'sign-blob',
  '--yes',
  `--bundle=${file}.sigstore.json`,
  file,
]

export interface ImageRelease {
  readonly target: (typeof imageTargets)[number]
  /** The name in its registry, without a tag. */
  readonly image: string
  readonly version: string
  readonly revision: string
  /** Where the builder writes the digest. */
  readonly metadataFile: string
}

/** Builds and pushes an image. The builder attests what the image contains, and how it was built. */
export function buildCommand({ target, image, version, revision, metadataFile }: ImageRelease): Command {
  return [
    'docker',
    'buildx',
    'build',
    '--file=infra/docker/Dockerfile',
    `--target=${target}`,
    `--build-arg=VERSION=${version}`,
    `--build-arg=REVISION=${revision}`,
    '--sbom=true',
    '--provenance=mode=max',
    `--metadata-file=${metadataFile}`,
    '--push',
    `--tag=${image}:${version}`,
    '.',
  ]
}

/** Signs an image by its digest, and attests the packages in it by their SBOM. */
export function signImageCommands(image: string, digest: string, sbom: string): Command[] {
  const signed = `${image}@${digest}`
  return [
    ['cosign', 'sign', '--yes', signed],
    ['cosign', 'attest', '--yes', '--type=cyclonedx', `--predicate=${sbom}`, signed],
  ]
}
