import ManagedObjects

// What can be done to a town: the same to objects and to the plainest model.
extension ReferenceRunner {
    func create<T: Thing>(
        _ type: T.Type, _ kind: ReferenceModel.Kind, _ deed: GraphOperation,
        _ context: isolated ManagedObjectContext,
        _ side: Replica
    ) {
        let object = context.insert(type)
        (object.number, object.name) = (deed.value, "n\(next)")
        references[next] = object.objectID
        side.town.rows[next] = ReferenceModel.Row(kind: kind, name: "n\(next)", number: deed.value)
        next += 1
        side.isSimple = false
    }

    func act(_ deed: GraphOperation, _ context: isolated ManagedObjectContext, _ side: Replica) {
        acting = side
        let town = side.town
        let people = town.of(.resident, .pupil), places = town.of(.place), clubs = town.of(.club)
        let events = town.of(.event), passes = town.of(.pass), statues = town.of(.statue)
        let person = deed.pick(people, 0), other = deed.pick(people, 1)
        func complex() { side.isSimple = false }
        switch deed.what {
        case 0, 1: create(Resident.self, .resident, deed, context, side)
        case 2: create(Pupil.self, .pupil, deed, context, side)
        case 3: create(Place.self, .place, deed, context, side)
        case 4: create(Club.self, .club, deed, context, side)
        case 5: create(Event.self, .event, deed, context, side)
        case 6: create(Pass.self, .pass, deed, context, side)
        case 7: create(Statue.self, .statue, deed, context, side)
        case 8, 9:
            guard let id = deed.pick(town.rows.keys.sorted(), 0), let thing: Thing = object(id, context)
            else { return }
            thing.number = deed.value
            side.town.rows[id]?.number = deed.value
            side.changes[id, default: []].insert("number")
        case 34, 35, 37:
            complex()
            // Few, so that one is changed again and again, with saves and undos in between.
            guard let id = deed.pick(Array(town.rows.keys.sorted().prefix(3)), 0),
                let thing: Thing = object(id, context)
            else { return }
            side.town.rows[id]?.picture = deed.isNothing ? nil : deed.value + 1
            thing.picture = deed.isNothing ? nil : ReferenceModel.bytes(ofPicture: deed.value + 1)
        case 10, 11:
            guard let person, let it: Resident = object(person, context) else { return }
            let home = deed.isNothing ? nil : deed.pick(places, 1)
            it.home = object(home, context)
            side.town.rows[person]?.home = home
            side.changes[person, default: []].insert("home")
        case 12:
            guard let person, let it: Resident = object(person, context) else { return }
            it.boss = deed.isNothing ? nil : object(other, context)
            side.town.rows[person]?.boss = deed.isNothing ? nil : other
            side.changes[person, default: []].insert("boss")
        case 13:
            guard let place = deed.pick(places, 0), let it: Place = object(place, context) else { return }
            let some = people.filter { ($0 + Int(deed.value)) % 3 == 0 }
            let objects: [Resident] = some.compactMap { object($0, context) }
            it.residents = Set(objects)
            for id in people where side.town.rows[id]?.home == place { side.town.rows[id]?.home = nil }
            for id in some { side.town.rows[id]?.home = place }
            complex()
        case 14:
            complex()
            if deed.value % 2 == 0 {
                guard let person, let it: Resident = object(person, context) else { return }
                let pass = deed.isNothing ? nil : deed.pick(passes, 1)
                it.badge = object(pass, context)
                side.town.setBadge(person, pass)
            } else {
                guard let pass = deed.pick(passes, 0), let it: Pass = object(pass, context) else { return }
                it.holder = deed.isNothing ? nil : object(other, context)
                if let holder = town.holder(of: pass) { side.town.setBadge(holder, nil) }
                if !deed.isNothing, let other { side.town.setBadge(other, pass) }
            }
        case 15:
            complex()
            guard let person, let club = deed.pick(clubs, 1), let it: Resident = object(person, context),
                let its: Club = object(club, context)
            else { return }
            if town.rows[person]?.clubs.contains(club) ?? false {
                if deed.isNothing { it.clubs.remove(its) } else { its.remove(it, from: \.members) }
                side.town.rows[person]?.clubs.remove(club)
            } else {
                if deed.isNothing { it.clubs.insert(its) } else { its.insert(it, into: \.members) }
                side.town.rows[person]?.clubs.insert(club)
            }
        case 16:
            complex()
            guard let person, let other, let a: Resident = object(person, context),
                let b: Resident = object(other, context)
            else { return }
            let are = !(town.rows[person]?.friends.contains(other) ?? false)
            if are { a.friends.insert(b) } else { a.friends.remove(b) }
            side.town.befriend(person, other, are)
        case 17:
            complex()
            guard let event = deed.pick(events, 0), let it: Event = object(event, context) else { return }
            let club = deed.isNothing ? nil : deed.pick(clubs, 1)
            it.club = object(club, context)
            side.town.setClub(event, club)
        case 18:
            complex()
            guard let club = deed.pick(clubs, 0), let it: Club = object(club, context),
                let list = town.rows[club]?.events
            else { return }
            let turned = Array(list.dropFirst(1) + list.prefix(1)).reversed()
            it.events = turned.compactMap { object($0, context) }
            side.town.rows[club]?.events = Array(turned)
        case 19:
            complex()
            guard let event = deed.pick(events, 0), let it: Event = object(event, context) else { return }
            let guests = people.filter { ($0 + Int(deed.value)) % 2 == 0 }.sorted {
                ($0 * 31 + Int(deed.value)) % 7 < ($1 * 31 + Int(deed.value)) % 7
            }
            it.guests = guests.compactMap { object($0, context) }
            side.town.rows[event]?.guests = guests
        case 20:
            complex()
            if deed.value % 2 == 0 {
                guard let place = deed.pick(places, 0), let it: Place = object(place, context) else { return }
                let some = Set(statues.filter { ($0 + Int(deed.value)) % 2 == 0 })
                let objects: [Statue] = some.compactMap { object($0, context) }
                it.statues = Set(objects)
                side.town.setStatues(place, some)
            } else {
                guard let pass = deed.pick(passes, 0), let it: Pass = object(pass, context) else { return }
                // What nothing leads back to is told apart by hand when it goes.
                it.place = deed.isNothing ? nil : object(deed.pick(places, 1), context)
                side.town.rows[pass]?.place = deed.isNothing ? nil : deed.pick(places, 1)
            }
        default:
            complex()
            guard let id = deed.pick(town.rows.keys.sorted(), 0), let it: Thing = object(id, context) else {
                return
            }
            for pass in passes where town.rows[pass]?.place == id {
                (object(pass, context) as Pass?)?.place = nil
                side.town.rows[pass]?.place = nil
            }
            context.delete(it)
            side.town.delete(id)
        }
    }
}
