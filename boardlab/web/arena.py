"""What all pages share: settings, rules, the database, the pool and the open topics."""

from boardlab.web.database import Database
from boardlab.web.hub import Hub
from boardlab.web.limits import Attention, Places
from boardlab.web.people import Addresses, Person
from boardlab.web.policy import Policy, memory_of_machine, room_for_searches
from boardlab.web.pool import Pool
from boardlab.web.settings import Settings
from boardlab.web.thinking import Thinking
from boardlab.web.works.works import Works


class Arena:
    """One server's state."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(settings.database)
        self.policy = Policy(settings.runs, trust=settings.trust)
        self.addresses = Addresses()
        self.pool = Pool(settings.workers, self.addresses.get, room_for_searches(memory_of_machine()))
        self.thinking = Thinking(self.pool, self.policy)
        self.works = Works(settings, self.addresses.get)
        self.hub = Hub(self)
        self.attention = Attention()
        self.uploads, self.downloads = Places(2, 16), Places(2, 8)

    def may_change(self, person: Person) -> bool:
        """Whether this visitor may change anything."""
        return person.may_change

    async def close(self) -> None:
        """Stop all work and close the files; what was done is in the database."""
        await self.hub.close()
        self.pool.close()
        self.database.close()
