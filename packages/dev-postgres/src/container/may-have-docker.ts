import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * Whether anything here points at a Docker engine. It asks only the file system, so that a machine without
 * one does not pay for loading the container library; that an engine really answers, the library finds out.
 */
export async function mayHaveDocker(environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (environment['DOCKER_HOST'] !== undefined || environment['TESTCONTAINERS_HOST_OVERRIDE'] !== undefined) {
    return true
  }
  if (process.platform === 'win32') return true
  const home = homedir()
  const runtime = environment['XDG_RUNTIME_DIR']
  const places = [
    '/var/run/docker.sock',
    path.join(home, '.testcontainers.properties'),
    path.join(home, '.docker/run/docker.sock'),
    path.join(home, '.docker/desktop/docker.sock'),
    `/run/user/${process.getuid?.()}/docker.sock`,
    ...(runtime === undefined ? [] : [path.join(runtime, 'docker.sock')]),
  ]
  const found = await Promise.all(
    places.map((place) =>
      access(place).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
