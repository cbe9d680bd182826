import path from 'node:path'

/** Everything that a server of ours keeps in its folder. */
export interface ServerFiles {
  readonly dataDirectory: string
  /** Where initdb works until the data directory is whole. */
  readonly unfinishedData: string
  readonly passwordFile: string
  readonly logFile: string
  /** Says who has the folder. */
  readonly ownerFile: string
}

export function serverFiles(directory: string): ServerFiles {
  return {
    dataDirectory: path.join(directory, 'data'),
    unfinishedData: path.join(directory, 'data.unfinished'),
    passwordFile: path.join(directory, 'password'),
    logFile: path.join(directory, 'server.log'),
    ownerFile: path.join(directory, 'owner.json'),
  }
}
