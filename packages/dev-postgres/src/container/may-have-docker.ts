import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * Whether anything on this machine points at a Docker engine. It checks only variables and files, so that a machine without
 * Docker need not load the container library. The library finds out whether an engine answers.
 */
export async function mayHaveDocker(environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (environment['DOCKER_HOST'] !== undefined || environment['TESTCONTAINERS_HOST_OVERRIDE'] !== undefined) {
    return true
  }
  if (process.platform === 'win32') return true
  const home = homedir()
  const runtime = environment['XDG_RUNTIME_DIR']
  const paths = [
    '/var/run/docker.sock',
    path.join(home, '.testcontainers.properties'),
    path.join(home, '.docker/run/docker.sock'),
    path.join(home, '.docker/desktop/docker.sock'),
    `/run/user/${process.getuid?.()}/docker.sock`,
    ...(runtime === undefined ? [] : [path.join(runtime, 'docker.sock')]),
  ]
  const exist = await Promise.all(
    paths.map((file) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  )
  return exist.includes(true)
}
