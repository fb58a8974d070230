"""Shared memory between processes: blocks, queues and their manager."""

class Block:
    """
    A block of shared memory: a writable buffer. Pickling it makes a reference that one process may load once; letting go of the last Block of a process lets go of the memory.
    """

    @property
    def nbytes(self) -> int: ...
    @property
    def address(self) -> int: ...
    def __len__(self) -> int: ...
    def reference(self, counted: bool = True) -> tuple[str, int, int, int, bool]:
        """
        The arguments of `adopt`. A counted reference keeps the block alive until it is adopted, once; an uncounted one may be adopted as often as one likes while its maker holds the block.
        """

    def __reduce__(self) -> tuple[object, ...]: ...

def allocate(nbytes: int, named: bool = False, strict: bool = False) -> Block:
    """
    A block in this process's arena: of a memory file, or of a named one. OSError with numbers where there is no room; unless `strict`, the other kind is tried first.
    """

def adopt(manager: str, segment: int, entry: int, generation: int, counted: bool) -> Block:
    """The block that was sent here; OSError if it is gone."""

def give_up(manager: str, segment: int, entry: int, generation: int, counted: bool) -> None:
    """Takes back a counted reference that was not sent."""

def find(address: int) -> Block | None:
    """The block in use here that contains an address."""

class Ring:
    """
    A queue of byte messages in a block, for any number of senders and receivers, any of which may be killed at any time.
    """

    def __init__(self, block: Block) -> None: ...
    @staticmethod
    def create(capacity: int, most: int = 0, named: bool = False) -> Ring:
        """
        A new one: bytes of messages it holds, messages it holds at most (0: no limit).
        """

    @property
    def block(self) -> Block: ...
    @property
    def most_bytes(self) -> int: ...
    def put(self, data: bytes | bytearray | memoryview, timeout: float | None = None) -> bool:
        """Sends a message; False if there was no room for `timeout` seconds."""

    def get(self, timeout: float | None = None) -> bytes | None:
        """Receives a message; None if none came for `timeout` seconds."""

    def __len__(self) -> int: ...
    def empty(self) -> bool: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...

def set_manager_program(path: str) -> None: ...
def manager_address() -> str:
    """The address of this process's manager, started if need be."""

def manager_stat() -> dict[str, int]:
    """
    What the manager keeps: processes, segments, blocks in use, references in flight.
    """

def usage() -> dict[str, int]:
    """
    What this process has: own segments, mapped ones, blocks in use, bytes kept for later.
    """

def trim(keep: int = 0) -> None:
    """Returns idle memory beyond `keep` bytes to the system."""
