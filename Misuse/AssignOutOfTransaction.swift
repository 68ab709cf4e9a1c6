// refused: mutation of captured var 'photo' in concurrently-executing code
import DataStacks
import ManagedObjects
import MoodyModel

func misuse(_ stack: DataStack) throws { var photo: Photo?; try stack.performAndWait { photo = $0.create(Photo.self) }; print(photo!) }
