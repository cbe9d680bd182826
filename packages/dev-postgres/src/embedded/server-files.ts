import path from 'node:path'

/** The files and folders of an embedded server. */
export interface ServerFiles {
  readonly dataDirectory: string
  /** The folder in which initdb works until the data directory is complete. */
  readonly unfinishedData: string
  readonly passwordFile: string
  readonly logFile: string
  /** Records the owner of the folder. */
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
